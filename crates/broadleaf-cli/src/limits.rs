//! The program's limits: a file may be of anyone's making, so what it can take
//! of memory and time is bounded. An error names the limit, the value and its
//! place. `broadleaf --help` and `docs/formats.md` tell the same numbers; those
//! of traces are in [`workloads::trace::limits`].

/// The most bytes of a file; of a glTF model, also of all its buffers together.
pub(crate) const FILE_BYTES_MAX: u64 = 1 << 30;
/// The most triangles of a model, instances counted one by one.
pub(crate) const TRIANGLES_MAX: usize = 1 << 24;
/// The most positions of a model: three for each triangle.
pub(crate) const POSITIONS_MAX: usize = 3 * TRIANGLES_MAX;
/// The most faces of an OBJ or PLY model.
pub(crate) const FACES_MAX: usize = TRIANGLES_MAX;
/// The most JSON objects in a glTF document, and the most primitives that its nodes place.
pub(crate) const DOCUMENT_OBJECTS_MAX: usize = 1 << 20;
/// The most pairs in a frame of a trace.
pub(crate) const PAIRS_MAX: usize = 1 << 24;
/// Tests that a ray at a model makes on average, at most: where it would make
/// more, fewer rays are measured, and the picture is drawn in blocks of pixels.
pub(crate) const RAY_TESTS_MAX: u64 = 512;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::CommandFactory as _;
    use workloads::trace::limits::{CHANGES_MAX, FRAMES_MAX, OBJECTS_MAX};

    #[test]
    fn help_and_documents_tell_the_limits() {
        assert_eq!(FILE_BYTES_MAX, 1 << 30, "said as 1 GiB");
        let help = Arguments::command().render_long_help().to_string();
        let document = include_str!("../../../docs/formats.md");
        for text in [help.as_str(), document] {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for part in [
                "1 GiB".to_owned(),
                format!("{FRAMES_MAX} frames"),
                format!("{OBJECTS_MAX} objects that live at once"),
                format!("{CHANGES_MAX} changes in all"),
                format!("{PAIRS_MAX} pairs in a frame"),
                format!("{TRIANGLES_MAX} triangles"),
                format!("{POSITIONS_MAX} positions"),
                format!("{FACES_MAX} faces"),
                format!("{DOCUMENT_OBJECTS_MAX} JSON objects"),
                format!("{DOCUMENT_OBJECTS_MAX} placed primitives"),
                format!("more than {RAY_TESTS_MAX} triangles"),
            ] {
                assert!(text.contains(&part), "{part:?} in {text}");
            }
        }
    }
}
