//! The guide's code blocks as tests: `cargo test -p guide --doc` compiles and runs every Rust block
//! of the chapters in `docs/guide/src`. The program `pictures` draws the guide's pictures.

/// The chapters, each as the documentation of a module.
macro_rules! chapters {
    ($($name:ident: $file:literal,)*) => {
        $(
            #[doc = include_str!(concat!("../../../docs/guide/src/", $file))]
            #[cfg(doctest)]
            pub mod $name {}
        )*

        /// The files of the chapters in `docs/guide/src` whose code is tested.
        pub const CHAPTERS: &[&str] = &[$($file),*];
    };
}

chapters! {
    first_world: "first-world.md",
    frame_loop: "frame-loop.md",
    pairs_and_events: "pairs-and-events.md",
    questions: "questions.md",
    own_shapes: "own-shapes.md",
    layers: "layers.md",
    margins: "margins.md",
    flat_worlds: "flat-worlds.md",
    huge_worlds: "huge-worlds.md",
    meshes: "meshes.md",
    threads: "threads.md",
    rollback: "rollback.md",
    budgets: "budgets.md",
    your_own_trace: "your-own-trace.md",
    tuning: "tuning.md",
    how_it_works: "how-it-works.md",
    moving_here: "moving-here.md",
    engines: "engines.md",
}

#[cfg(test)]
mod tests {
    use super::CHAPTERS;
    use std::path::Path;

    /// A chapter that somebody adds is tested, too, if it has code of its own.
    #[test]
    fn every_chapter_is_tested() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/src");
        for entry in std::fs::read_dir(folder).expect("docs/guide/src is a folder") {
            let path = entry.expect("a file").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            let has_code = name.ends_with(".md") && std::fs::read_to_string(&path).expect("text").contains("```rust\n");
            assert!(!has_code || CHAPTERS.contains(&name), "{name} is not tested");
        }
    }
}
