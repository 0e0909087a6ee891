//! What the page calls: it writes bytes into the input, sends them, and reads
//! the answer and the buffers.
#![expect(unsafe_code, reason = "exports have names that a linker knows")]

use crate::Viewer;
use crate::buffers::Buffer;
use std::cell::RefCell;

#[derive(Default)]
struct Module {
    viewer: Viewer,
    input: Vec<u8>,
    answer: String,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::new(Module::default());
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Has the messages of panics kept for [`panic_message`].
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn start() {
    std::panic::set_hook(Box::new(|panic| PANIC.with_borrow_mut(|kept| *kept = panic.to_string())));
}

/// Room for so many bytes of input; valid until the next call.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn input(bytes: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.input.clear();
        module.input.resize(bytes, 0);
        module.input.as_mut_ptr()
    })
}

/// Runs the command in the input; the bytes of the answer.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn send() -> usize {
    MODULE.with_borrow_mut(|module| {
        module.answer = module.viewer.run(&module.input);
        module.answer.len()
    })
}

/// Makes the input the file of the name that the last command said.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn receive_file() {
    MODULE.with_borrow_mut(|module| module.viewer.receive_file(std::mem::take(&mut module.input)));
}

/// Where the answer begins; valid until the next call.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() -> *const u8 {
    MODULE.with_borrow(|module| module.answer.as_ptr())
}

/// Where a buffer begins; valid until the next call. Null if there is no such buffer.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn buffer(index: usize) -> *const f32 {
    MODULE.with_borrow(|module| {
        Buffer::ALL.get(index).map_or(std::ptr::null(), |(_, buffer)| module.viewer.buffers().get(*buffer).as_ptr())
    })
}

/// The floats of a buffer.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn buffer_len(index: usize) -> usize {
    MODULE.with_borrow(|module| {
        Buffer::ALL.get(index).map_or(0, |(_, buffer)| module.viewer.buffers().get(*buffer).len())
    })
}

/// Where the message of a panic begins.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn panic_message() -> *const u8 {
    PANIC.with_borrow(|message| message.as_ptr())
}

/// The bytes of the message of a panic.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn panic_message_len() -> usize {
    PANIC.with_borrow(String::len)
}
