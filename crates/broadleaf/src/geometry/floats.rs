//! Floats as data of serde.
//!
//! A text format may have no infinities: JSON writes `null` for them. So where
//! a format is for people, infinite floats are the strings `"inf"` and
//! `"-inf"`, and what is not a number is `"nan"`. All other floats, and all
//! floats of binary formats, are floats of the format.
//!
//! A parser of text mostly goes by way of a double, which may lie half-way
//! between two floats where the digits do not: 7.038531e-26, all the digits that
//! its float needs, is read as the neighbour. It is the only such float that we
//! know of. So floats of unusual size are written with the digits of a double.
//!
//! Fields name this module: `#[serde(with = "crate::geometry::floats")]`.

use super::lanes::{Lane, WIDTH};
use core::fmt;
use core::ops::Range;
use glam::Vec3;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

/// What consists of floats: itself in binary formats, and in text another form.
pub(crate) trait Floats: Copy + Serialize + DeserializeOwned {
    type Form: Serialize + DeserializeOwned;

    fn to_form(self) -> Self::Form;
    fn from_form(form: Self::Form) -> Self;
}

/// Saves the floats of a field.
#[inline]
pub(crate) fn serialize<T: Floats, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() { value.to_form().serialize(serializer) } else { value.serialize(serializer) }
}

/// Loads the floats of a field.
#[inline]
pub(crate) fn deserialize<'de, T: Floats, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    if deserializer.is_human_readable() {
        T::Form::deserialize(deserializer).map(T::from_form)
    } else {
        T::deserialize(deserializer)
    }
}

/// Sizes of floats whose digits every parser reads exactly: the digits and the
/// power of ten that make them are both doubles.
const USUAL: Range<f32> = 1e-13..1e15;

/// One float in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Float(f32);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == 0.0 || USUAL.contains(&self.0.abs()) {
            serializer.serialize_f32(self.0)
        } else if self.0.is_finite() {
            serializer.serialize_f64(self.0.into())
        } else if self.0.is_nan() {
            serializer.serialize_str("nan")
        } else {
            serializer.serialize_str(if self.0 > 0.0 { "inf" } else { "-inf" })
        }
    }
}

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FloatVisitor)
    }
}

struct FloatVisitor;

impl Visitor<'_> for FloatVisitor {
    type Value = Float;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a 32-bit float, \"inf\", \"-inf\" or \"nan\"")
    }

    fn visit_f32<E: Error>(self, value: f32) -> Result<Float, E> {
        Ok(Float(value))
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32; what would become infinite is refused")]
    fn visit_f64<E: Error>(self, value: f64) -> Result<Float, E> {
        let rounded = value as f32;
        if rounded.is_infinite() && value.is_finite() {
            return Err(E::invalid_value(Unexpected::Float(value), &self));
        }
        Ok(Float(rounded))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Float, E> {
        Ok(Float(value as f32))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Float, E> {
        Ok(Float(value as f32))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Float, E> {
        match value {
            "inf" => Ok(Float(f32::INFINITY)),
            "-inf" => Ok(Float(f32::NEG_INFINITY)),
            "nan" => Ok(Float(f32::NAN)),
            _ => Err(E::invalid_value(Unexpected::Str(value), &self)),
        }
    }
}

impl Floats for f32 {
    type Form = Float;

    fn to_form(self) -> Float {
        Float(self)
    }

    fn from_form(form: Float) -> Self {
        form.0
    }
}

impl Floats for Vec3 {
    type Form = [Float; 3];

    fn to_form(self) -> [Float; 3] {
        self.to_array().map(Float)
    }

    fn from_form(form: [Float; 3]) -> Self {
        Self::from_array(form.map(|float| float.0))
    }
}

impl Floats for Lane {
    type Form = [Float; WIDTH];

    fn to_form(self) -> [Float; WIDTH] {
        self.to_array().map(Float)
    }

    fn from_form(form: [Float; WIDTH]) -> Self {
        Self::new(form.map(|float| float.0))
    }
}

impl Floats for [Lane; 3] {
    type Form = [[Float; WIDTH]; 3];

    fn to_form(self) -> Self::Form {
        self.map(Lane::to_form)
    }

    fn from_form(form: Self::Form) -> Self {
        form.map(Lane::from_form)
    }
}

impl Floats for [Lane; 6] {
    type Form = [[Float; WIDTH]; 6];

    fn to_form(self) -> Self::Form {
        self.map(Lane::to_form)
    }

    fn from_form(form: Self::Form) -> Self {
        form.map(Lane::from_form)
    }
}

impl Floats for [Vec3; 3] {
    type Form = [[Float; 3]; 3];

    fn to_form(self) -> Self::Form {
        self.map(Vec3::to_form)
    }

    fn from_form(form: Self::Form) -> Self {
        form.map(Vec3::from_form)
    }
}
