//! Saving a tree and loading it again.

use super::Octree;
use crate::data::Data;
use crate::data::report::Counters;
use crate::data::scratch::Workspace;
use crate::data::validate::{Broken, ensure};
use crate::{Config, Error};
use alloc::vec::Vec;

/// A tree as it was read: nothing in it can be trusted yet.
#[derive(serde::Deserialize)]
pub(super) struct Stored {
    config: Config,
    data: Data,
    counters: Counters,
}

/// Why a snapshot was refused. No tree is made of it then.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin as a snapshot does.
    #[error("not a snapshot of a tree")]
    NotASnapshot,
    /// A snapshot of another version of the format.
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
    Broken(#[from] Broken),
}

impl TryFrom<Stored> for Octree {
    type Error = SnapshotError;

    fn try_from(stored: Stored) -> Result<Self, SnapshotError> {
        let Stored { config, mut data, counters } = stored;
        config.check()?;
        data.restore(&config)?;
        ensure(counters.is_countable(), "work is countable", 0)?;
        Ok(Self { config, data, misplaced: Vec::new(), workspace: Workspace::default(), counters })
    }
}

#[cfg(feature = "snapshot")]
mod binary {
    use super::{Octree, SnapshotError, Stored};
    use crate::data::hash::hash_bytes;
    use alloc::vec::Vec;
    use postcard::ser_flavors::Flavor;

    /// What a snapshot begins with.
    const MAGIC: [u8; 8] = *b"brdleaf\n";
    /// Changes with the columns of the tree.
    const VERSION: u32 = 1;
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

    impl Octree {
        /// Fills `bytes` with a snapshot: the tree with all that decides what
        /// it does next. Working memory is not part of it.
        ///
        /// *Units and shape:* eight bytes `brdleaf\n`, the version of the
        /// format (u32), the XXH3 hash of the rest (u64), both little-endian;
        /// the rest is the tree in the postcard format. Snapshots are for the
        /// version of this crate that wrote them.
        ///
        /// *Cost:* linear; no allocation if `bytes` has room.
        pub fn snapshot_into(&self, bytes: &mut Vec<u8>) {
            bytes.clear();
            bytes.resize(HEADER, 0);
            let written = postcard::serialize_with_flavor(self, Append(bytes));
            debug_assert!(written.is_ok(), "columns have lengths, and memory does not fail");
            let hash = hash_bytes(&bytes[HEADER..]);
            bytes[..8].copy_from_slice(&MAGIC);
            bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
            bytes[12..HEADER].copy_from_slice(&hash.to_le_bytes());
        }

        /// The tree of a snapshot. It goes on bit for bit like the one that
        /// the snapshot was taken of.
        ///
        /// *Cost:* linear; everything is checked, as by [`Octree::validate`].
        ///
        /// # Errors
        /// Bytes that are damaged, or that describe no tree, however they
        /// came about: nothing is used before it is checked.
        pub fn from_snapshot(bytes: &[u8]) -> Result<Self, SnapshotError> {
            let (header, body) = bytes.split_at_checked(HEADER).ok_or(SnapshotError::NotASnapshot)?;
            if header[..8] != MAGIC {
                return Err(SnapshotError::NotASnapshot);
            }
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
            let found = u32::try_from(number(&header[8..12])).unwrap_or(u32::MAX);
            if found != VERSION {
                return Err(SnapshotError::Version { found, expected: VERSION });
            }
            if number(&header[12..]) != hash_bytes(body) {
                return Err(SnapshotError::Damaged);
            }
            let (stored, rest) = postcard::take_from_bytes::<Stored>(body).map_err(|_| SnapshotError::Damaged)?;
            if rest.is_empty() { stored.try_into() } else { Err(SnapshotError::Damaged) }
        }
    }
}
