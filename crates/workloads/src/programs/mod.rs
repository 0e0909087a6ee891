//! Operation programs: random sequences of everything that can be done to a
//! tree, run beside the oracle.

mod asked;
mod batches;
mod compare;
mod distant;
mod fat;
mod faults;
mod flatten;
mod follow;
mod question;
mod refuse;
mod run;
mod shrink;
mod source;
#[cfg(test)]
mod tests;
mod values;
mod volumes;

pub use compare::{Mismatch, compare_partners};
pub use faults::Fault;
pub use question::Question;
pub use run::{run, run_with};
pub use shrink::shrink;

use crate::random::Random;
use broadleaf::glam::Vec3;
use broadleaf::{Config, Layers, Mobility, Object, Shape};
use source::Source;

/// A step of a program. An index chooses a live object, modulo their number;
/// where there is none, the step does nothing.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "programs are short")]
pub enum Op {
    /// Inserts an object.
    Insert(Object),
    /// Inserts several objects in one call.
    InsertMany(Vec<Object>),
    /// Inserts so many copies of an object.
    InsertCopies(Object, u8),
    /// Removes an object.
    Remove(u32),
    /// Removes the object and those after it in the list, so many in all.
    RemoveMany(u32, u8),
    /// Gives an object another shape.
    Update(u32, Shape),
    /// Gives several objects other shapes in one call; the last shape of an object counts.
    UpdateMany(Vec<(u32, Shape)>),
    /// Moves an object a little.
    Nudge(u32, Vec3),
    /// Moves every object a little, not all by the same, in one call.
    NudgeAll(Vec3),
    /// Puts an object on other layers.
    SetLayers(u32, Layers),
    /// Gives an object another mobility.
    SetMobility(u32, Mobility),
    /// Gives an object other user data.
    SetUserData(u32, u64),
    /// Rebuilds the tree.
    Rebuild,
    /// Removes everything.
    Clear,
    /// Reserves memory.
    Reserve(u8),
    /// Gives memory back.
    ShrinkToFit,
    /// Moves the origin, or is refused.
    ShiftOrigin(Vec3),
    /// Brings the tree up to date, and compares everything.
    View,
    /// Asks one question.
    Ask(Question),
    /// Offers a faulty shape to every call that takes one.
    Refuse(u32, Fault),
    /// Offers a removed object's handle to every call that takes one.
    RefuseStale(u32),
}

impl Op {
    /// The objects that it inserts.
    #[cfg(feature = "arbitrary")]
    fn inserted(&self) -> usize {
        match self {
            Self::Insert(_) => 1,
            Self::InsertMany(objects) => objects.len(),
            Self::InsertCopies(_, count) => (*count).into(),
            _ => 0,
        }
    }
}

/// Settings, steps, and the questions that are asked between them.
///
/// ```
/// use workloads::programs::{Program, run};
///
/// run(&Program::from_seed(1, 20)).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The tree's settings.
    pub config: Config,
    /// Everything is compared after so many steps; zero means after the last only.
    pub stride: u8,
    /// Asked at each comparison.
    pub questions: Vec<Question>,
    /// The steps.
    pub ops: Vec<Op>,
}

impl Program {
    /// The program of a seed, with `len` steps.
    #[must_use]
    pub fn from_seed(seed: u64, len: usize) -> Self {
        let mut random = Random::new(seed);
        let mut program = Self::without_ops(&mut random);
        program.ops.extend((0..len).map(|_| op(&mut random)));
        program
    }

    fn without_ops(source: &mut dyn Source) -> Self {
        let config = values::config(source);
        let stride = [1, 1, 2, 7][source.below(4) as usize];
        let questions = (0..Question::KINDS).map(|kind| Question::of_kind(kind, source)).collect();
        Self { config, stride, questions, ops: Vec::new() }
    }
}

#[cfg(feature = "arbitrary")]
impl<'a> arbitrary::Arbitrary<'a> for Program {
    /// Bytes that repeat one insertion would else be all objects in one place, every two of them
    /// a pair, compared after each step: the last step is the one that brings the work to its bound.
    fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        let mut program = Self::without_ops(u);
        let (mut inserted, mut work) = (0, 0);
        while !u.is_empty() && program.ops.len() < OPS_MAX && work < WORK_MAX {
            let op = op(u);
            inserted += op.inserted();
            work += inserted * inserted;
            program.ops.push(op);
        }
        Ok(program)
    }
}

/// Steps of a program of any bytes.
#[cfg(feature = "arbitrary")]
const OPS_MAX: usize = 200;

/// Squares of the objects that may live at each step of such a program, in sum: at worst half a
/// second of comparisons, ten where a fuzzer watches.
#[cfg(feature = "arbitrary")]
const WORK_MAX: usize = 1 << 19;

fn small(source: &mut dyn Source, limit: u32) -> u8 {
    u8::try_from(source.below(limit)).expect("a limit of at most 256")
}

fn op(source: &mut dyn Source) -> Op {
    let index = source.below(256);
    match source.below(66) {
        64 | 65 => Op::ShiftOrigin(values::shift(source)),
        0..=11 => Op::Insert(values::object(source)),
        12..=17 => {
            let count = source.below(24);
            Op::InsertMany((0..count).map(|_| values::object(source)).collect())
        }
        18 => Op::InsertCopies(values::object(source), small(source, 100)),
        19..=24 => Op::Remove(index),
        25 => Op::RemoveMany(index, small(source, 60)),
        26..=31 => Op::Update(index, values::shape(source)),
        32..=34 => {
            let count = source.below(12);
            let update = |_| (source.below(256), values::shape(source));
            Op::UpdateMany((0..count).map(update).collect())
        }
        35..=39 => Op::Nudge(index, values::offset(source)),
        40..=42 => Op::NudgeAll(values::offset(source)),
        43..=45 => Op::SetLayers(index, values::layers(source)),
        46..=48 => Op::SetMobility(index, values::mobility(source)),
        49 => Op::SetUserData(index, u64::from(source.bits()) << 20),
        50 | 51 => Op::Rebuild,
        52 => [Op::Clear, Op::View, Op::View, Op::ShrinkToFit][source.below(4) as usize].clone(),
        53 => Op::Reserve(small(source, 256)),
        54 => Op::ShrinkToFit,
        55 | 56 => Op::View,
        57..=60 => Op::Ask(Question::of_kind(source.below(Question::KINDS), source)),
        61 | 62 => Op::Refuse(index, Fault::generate(source)),
        _ => Op::RefuseStale(index),
    }
}
