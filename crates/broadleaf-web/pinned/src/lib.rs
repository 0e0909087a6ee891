//! The pinned results of the library's tests, computed by WebAssembly.
//!
//! The scenes, the questions and the tables are the files of the tests
//! themselves. One export compares one table; what differs is a panic, whose
//! message the host reads.
#![expect(unsafe_code, reason = "exports have names that a linker knows")]

#[path = "../../../broadleaf/tests/it/pinned.rs"]
mod pinned;
#[path = "../../../broadleaf/tests/it/pinned_long.rs"]
mod pinned_long;
#[path = "../../../broadleaf/tests/it/pinned_mesh.rs"]
#[expect(unused_imports, reason = "the tests in the file use them")]
mod pinned_mesh;

use broadleaf::Config;
use std::cell::RefCell;

/// What the test files take from the test binary.
mod support {
    use broadleaf::QueryStats;

    /// The work that is added to the statistics handed to a closure.
    pub(crate) fn work(ask: impl FnOnce(&mut QueryStats)) -> QueryStats {
        let mut stats = QueryStats::default();
        ask(&mut stats);
        stats
    }
}

thread_local!(static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) });

/// The tables: the name of each, how many hashes it has, and the comparison.
const TABLES: [(&str, usize, fn()); 5] = [
    ("hits and pairs", pinned::PINNED.len(), || pinned::compare(pinned::PINNED, pinned::add_frame)),
    ("distances and volumes", pinned::PINNED_MORE.len(), || pinned::compare(pinned::PINNED_MORE, pinned::add_more)),
    ("regions, nodes and batches", pinned::PINNED_REST.len(), || {
        pinned::compare(pinned::PINNED_REST, pinned::add_rest)
    }),
    ("meshes", pinned_mesh::PINNED.len(), || {
        pinned::expect(pinned_mesh::PINNED, pinned_mesh::PINNED.map(|(name, _)| (name, pinned_mesh::hash_of(name))));
    }),
    ("long objects", pinned_long::PINNED.len(), || {
        let play = |name| (name, pinned_long::play(name, Config::default()));
        pinned::expect(pinned_long::PINNED, pinned_long::PINNED.map(|(name, _)| play(name)));
    }),
];

fn set_message(message: String) {
    MESSAGE.with_borrow_mut(|kept| *kept = message);
}

/// The number of tables. Has the messages of later panics kept for [`message`].
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn tables() -> usize {
    std::panic::set_hook(Box::new(|panic| set_message(panic.to_string())));
    TABLES.len()
}

/// Compares a table with what the library answers here: the number of hashes,
/// all of them equal. Traps if one differs. The message is the name of the table.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn compare_table(index: usize) -> usize {
    let (name, hashes, compare) = TABLES[index];
    compare();
    set_message(name.to_owned());
    hashes
}

/// Where the last message begins; it is valid until the next call.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn message() -> *const u8 {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// The bytes of the last message.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn message_len() -> usize {
    MESSAGE.with_borrow(String::len)
}
