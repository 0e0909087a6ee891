//! The byte format of all that is saved: a magic number, a version, a checksum, and the
//! columns in the postcard format. The only place that names `postcard`.

use super::validate::BrokenInvariant;
use crate::Error;

/// Why a snapshot was refused. Nothing is made of it then.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin as a snapshot of this kind does.
    #[error("not a snapshot of this kind")]
    NotASnapshot,
    /// A snapshot of another version of the format, older or newer. Nothing
    /// after the number is looked at, for it may mean anything.
    #[error("a snapshot of format {found}; this is format {expected}")]
    Version {
        /// The version found.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// The bytes are not those that were written: some are missing, or other.
    #[error("the snapshot is damaged")]
    Damaged,
    /// The settings are not legal.
    #[error(transparent)]
    Settings(#[from] Error),
    /// The bytes describe no tree.
    #[error(transparent)]
    Broken(#[from] BrokenInvariant),
}

#[cfg(feature = "snapshot")]
pub(crate) use binary::Seal;

#[cfg(feature = "snapshot")]
mod binary {
    use super::SnapshotError;
    use crate::data::state::hash::hash_bytes;
    use alloc::vec::Vec;
    use postcard::ser_flavors::Flavor;
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    /// Magic, version, checksum.
    const HEADER: usize = 8 + 4 + 8;

    /// Appends to a list that is there already.
    struct Append<'a>(&'a mut Vec<u8>);

    impl Flavor for Append<'_> {
        type Output = ();

        #[inline]
        fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
            self.0.push(byte);
            Ok(())
        }

        #[inline]
        fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
            self.0.extend_from_slice(bytes);
            Ok(())
        }

        fn finalize(self) -> postcard::Result<()> {
            Ok(())
        }
    }

    /// What the bytes of a kind begin with.
    pub(crate) struct Seal {
        pub(crate) magic: [u8; 8],
        /// Raised with every change of the layout of what is saved; the test
        /// `formats` fails if one changes without the other.
        pub(crate) version: u32,
    }

    impl Seal {
        /// Fills `bytes`; allocates nothing if there is room.
        pub(crate) fn write(&self, value: &impl Serialize, bytes: &mut Vec<u8>) {
            bytes.clear();
            bytes.resize(HEADER, 0);
            let written = postcard::serialize_with_flavor(value, Append(bytes));
            debug_assert!(written.is_ok(), "columns have lengths, and memory does not fail");
            let hash = hash_bytes(&bytes[HEADER..]);
            bytes[..8].copy_from_slice(&self.magic);
            bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
            bytes[12..HEADER].copy_from_slice(&hash.to_le_bytes());
        }

        /// What was written, as far as a checksum can tell.
        pub(crate) fn read<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, SnapshotError> {
            let (header, body) = bytes.split_at_checked(HEADER).ok_or(SnapshotError::NotASnapshot)?;
            if header[..8] != self.magic {
                return Err(SnapshotError::NotASnapshot);
            }
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
            let found = u32::try_from(number(&header[8..12])).unwrap_or(u32::MAX);
            if found != self.version {
                return Err(SnapshotError::Version { found, expected: self.version });
            }
            if number(&header[12..]) != hash_bytes(body) {
                return Err(SnapshotError::Damaged);
            }
            match postcard::take_from_bytes(body) {
                Ok((value, [])) => Ok(value),
                _ => Err(SnapshotError::Damaged),
            }
        }
    }
}
