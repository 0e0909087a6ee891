//! The program's limits of what it does; those of what is read are in
//! [`readers::limits`] and [`workloads::trace::limits`]. `broadleaf --help` and
//! `docs/formats.md` tell the numbers.

/// Tests that a ray at a model makes on average, at most: where it would make
/// more, fewer rays are measured, and the picture is drawn in blocks of pixels.
pub(crate) const RAY_TESTS_MAX: u64 = 512;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::CommandFactory as _;
    use readers::limits::{DOCUMENT_OBJECTS_MAX, FACES_MAX, FILE_BYTES_MAX, PAIRS_MAX, POSITIONS_MAX, TRIANGLES_MAX};
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
