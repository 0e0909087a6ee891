//! Models from OFF files.

use broadleaf::glam::Vec3;
use std::path::Path;
use workloads::Model;

/// Reads a model; polygons become fans of triangles.
///
/// # Errors
/// What is wrong with the file.
pub fn read_off(path: &Path) -> Result<Model, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("model").to_owned();
    parsed(&text, name.leak()).ok_or_else(|| format!("{} is no OFF file of triangles or polygons", path.display()))
}

fn parsed(text: &str, name: &'static str) -> Option<Model> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut words = lines.flat_map(str::split_whitespace);
    words.next().filter(|&word| word == "OFF")?;
    let [corners, faces, _edges] = [(); 3].map(|()| whole(words.next()));
    let mut positions = Vec::new();
    for _ in 0..corners? {
        let [x, y, z] = [(); 3].map(|()| words.next().and_then(|word| word.parse().ok()));
        positions.push(Vec3::new(x?, y?, z?));
    }
    let mut indices = Vec::new();
    for _ in 0..faces? {
        let corners = whole(words.next())?;
        let (first, mut last) = (whole(words.next())?, whole(words.next())?);
        for _ in 2..corners {
            let next = whole(words.next())?;
            indices.extend([first, last, next]);
            last = next;
        }
    }
    Model::from_parts(name, positions, indices)
}

fn whole(word: Option<&str>) -> Option<u32> {
    word.and_then(|word| word.parse().ok())
}
