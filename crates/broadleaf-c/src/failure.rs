//! Why a call was refused: a status for the program, a message for its author.

use broadleaf::inspect::{BrokenInvariant, SnapshotError};
use broadleaf::mesh::MeshError;
use broadleaf::{Error, SliceError};
use std::cell::RefCell;
use std::ffi::c_char;
use std::io::Write;

/// What a call returns. A call that returns neither `BL_STATUS_OK` nor
/// `BL_STATUS_TRUNCATED` has changed nothing, unless it is said below.
/// `bl_last_error` tells more.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum bl_status {
    /// The call did what it says.
    Ok = 0,
    /// The list is longer than the array: the array is full, and the count
    /// tells how many there are. Call again with a larger array.
    Truncated = 1,
    /// The tree has changed since the last `bl_octree_flush`, and the question
    /// needs one that is up to date.
    NotUpToDate = 2,
    /// A pointer that must not be NULL is.
    NullPointer = 3,
    /// A pointer is not aligned for what it points to.
    MisalignedPointer = 4,
    /// A length is larger than any array.
    BadLength = 5,
    /// A number that names a choice names none, or an option does not apply to the question.
    BadValue = 6,
    /// The handle's object was removed, or the number is no handle.
    StaleHandle = 7,
    /// A box, sphere, ray or other shape that is not legal: not a number,
    /// not finite, inverted, negative, without direction.
    IllegalShape = 8,
    /// A setting outside its range, or a shift of the origin that is too far.
    OutOfRange = 9,
    /// The tree holds its limit of objects.
    TooManyObjects = 10,
    /// Triangles of which no mesh can be built.
    BadMesh = 11,
    /// Bytes that are no snapshot, of another version, or damaged.
    BadSnapshot = 12,
    /// `bl_octree_validate` has found a broken invariant: a bug of the library.
    Broken = 13,
    /// The library has panicked: a bug of the library, or a size beyond all memory, as of
    /// `bl_octree_reserve(tree, SIZE_MAX)`. The panic has printed a message to stderr. An object that
    /// was being changed may be half changed: free it. An allocation that fails is no panic: it aborts the process.
    Panic = 14,
}

/// A refused call: what it returns, and the message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    Truncated {
        needed: usize,
        capacity: usize,
    },
    NotUpToDate,
    NullPointer(&'static str),
    Misaligned {
        name: &'static str,
        align: usize,
    },
    TooLong(&'static str),
    BadValue {
        name: &'static str,
        value: u32,
    },
    Unused {
        option: &'static str,
    },
    Missing {
        option: &'static str,
    },
    MixedKinds {
        index: usize,
    },
    BadHandle {
        name: &'static str,
        bits: u64,
    },
    /// What is wrong with an element of an array.
    At {
        index: usize,
        failure: Box<Failure>,
    },
    Refused(Error),
    RefusedElement(SliceError),
    Mesh(MeshError),
    Snapshot(SnapshotError),
    Broken(BrokenInvariant),
    Pool(String),
    Panic(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<SliceError> for Failure {
    fn from(error: SliceError) -> Self {
        Self::RefusedElement(error)
    }
}

impl From<MeshError> for Failure {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error)
    }
}

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Self {
        Self::Snapshot(error)
    }
}

impl From<BrokenInvariant> for Failure {
    fn from(error: BrokenInvariant) -> Self {
        Self::Broken(error)
    }
}

fn status_of(error: &Error) -> bl_status {
    match error {
        Error::StaleHandle { .. } => bl_status::StaleHandle,
        Error::SettingOutOfRange { .. } | Error::ShiftTooFar { .. } => bl_status::OutOfRange,
        Error::TooManyObjects { .. } => bl_status::TooManyObjects,
        // All others are about a shape; so will be those that are added.
        _ => bl_status::IllegalShape,
    }
}

impl Failure {
    pub(crate) fn status(&self) -> bl_status {
        match self {
            Self::Truncated { .. } => bl_status::Truncated,
            Self::NotUpToDate => bl_status::NotUpToDate,
            Self::NullPointer(_) | Self::Missing { .. } => bl_status::NullPointer,
            Self::Misaligned { .. } => bl_status::MisalignedPointer,
            Self::TooLong(_) => bl_status::BadLength,
            Self::BadValue { .. } | Self::Unused { .. } | Self::MixedKinds { .. } => bl_status::BadValue,
            Self::BadHandle { .. } => bl_status::StaleHandle,
            Self::At { failure, .. } => failure.status(),
            Self::Refused(error) => status_of(error),
            Self::RefusedElement(refused) => status_of(&refused.error),
            Self::Mesh(_) => bl_status::BadMesh,
            Self::Snapshot(_) => bl_status::BadSnapshot,
            Self::Broken(_) => bl_status::Broken,
            Self::Pool(_) => bl_status::OutOfRange,
            Self::Panic(_) => bl_status::Panic,
        }
    }

    /// The same of an element of an array.
    pub(crate) fn at(self, index: usize) -> Self {
        Self::At { index, failure: Box::new(self) }
    }

    /// Index of the refused element, if an array was given.
    fn index(&self) -> Option<usize> {
        match self {
            Self::RefusedElement(refused) => Some(refused.index),
            Self::MixedKinds { index } | Self::At { index, .. } => Some(*index),
            _ => None,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Truncated { needed, capacity } => {
                write!(f, "the list has {needed} elements, the array has room for {capacity}")
            }
            Self::NotUpToDate => write!(f, "the tree has changed since it was last brought up to date"),
            Self::NullPointer(name) => write!(f, "{name} is NULL"),
            Self::Misaligned { name, align } => write!(f, "{name} is not aligned to {align} bytes"),
            Self::TooLong(name) => write!(f, "{name} has more elements than memory can hold"),
            Self::BadValue { name, value } => write!(f, "{name}: {value} is not a legal value"),
            Self::Unused { option } => write!(f, "the option {option} does not apply to this question"),
            Self::Missing { option } => write!(f, "this question needs the option {option}"),
            Self::MixedKinds { index } => {
                write!(f, "element {index} is of another kind than element 0: ask one batch for each kind")
            }
            Self::BadHandle { name, bits } => write!(f, "{name} is no handle: {bits:#x}"),
            Self::At { index, failure } => write!(f, "element {index}: {failure}"),
            Self::Refused(error) => error.fmt(f),
            Self::RefusedElement(error) => error.fmt(f),
            Self::Mesh(error) => error.fmt(f),
            Self::Snapshot(error) => error.fmt(f),
            Self::Broken(error) => error.fmt(f),
            Self::Pool(message) => write!(f, "the pool of threads: {message}"),
            Self::Panic(message) => write!(f, "the library has panicked: {message}"),
        }
    }
}

/// Checks all elements of an array, and names the first that is refused.
pub(crate) fn check_all<T>(elements: &[T], check: impl Fn(&T) -> Result<(), Failure>) -> Result<(), Failure> {
    elements.iter().enumerate().try_for_each(|(index, element)| check(element).map_err(|failure| failure.at(index)))
}

/// What the last refused call of a thread has left.
struct LastError {
    /// The message, with a zero byte at its end.
    message: Vec<u8>,
    index: usize,
}

thread_local! {
    static LAST: RefCell<LastError> = const { RefCell::new(LastError { message: Vec::new(), index: usize::MAX }) };
}

/// Keeps the message for `bl_last_error`, and returns the status.
pub(crate) fn report(failure: &Failure) -> bl_status {
    // A thread that is ending has nowhere to keep a message.
    let _ = LAST.try_with(|last| {
        let mut last = last.borrow_mut();
        last.message.clear();
        let _ = write!(last.message, "{failure}");
        // C ends the text at a zero.
        last.message.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b'?');
        last.message.push(0);
        last.index = failure.index().unwrap_or(usize::MAX);
    });
    failure.status()
}

/// Returns what was wrong with the last refused call of this thread, as a text
/// in UTF-8: which value, and why. Empty if no call was refused yet.
///
/// The text is good until the next call of this thread is refused.
#[unsafe(no_mangle)]
pub extern "C" fn bl_last_error() -> *const c_char {
    const EMPTY: &[u8] = b"\0";
    let text = |last: &RefCell<LastError>| {
        let last = last.borrow();
        if last.message.is_empty() { EMPTY.as_ptr() } else { last.message.as_ptr() }
    };
    LAST.try_with(text).unwrap_or(EMPTY.as_ptr()).cast()
}

/// Returns the index of the refused element, if the last refused call of this
/// thread was given an array; else `SIZE_MAX`.
#[unsafe(no_mangle)]
pub extern "C" fn bl_last_error_index() -> usize {
    LAST.try_with(|last| last.borrow().index).unwrap_or(usize::MAX)
}
