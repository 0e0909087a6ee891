//! The recordings that come with the crate: a physics engine's real motion.

use crate::trace::Trace;

const RECORDINGS: [(&str, &str, &[u8]); 4] = [
    ("pile", "3000 boxes, balls, capsules and cylinders fall into a bin", include_bytes!("../recordings/pile.bltrace")),
    ("tower", "a heavy ball knocks down a tower of 1440 bricks", include_bytes!("../recordings/tower.bltrace")),
    ("drum", "2000 balls tumble in a drum that turns", include_bytes!("../recordings/drum.bltrace")),
    (
        "level",
        "200 characters walk among crates, lifts and static blocks",
        include_bytes!("../recordings/level.bltrace"),
    ),
];

/// The names of all recordings.
pub const NAMES: [&str; 4] = [RECORDINGS[0].0, RECORDINGS[1].0, RECORDINGS[2].0, RECORDINGS[3].0];

/// What a recording shows, in a line; `None` if there is none of that name.
#[must_use]
pub fn description(name: &str) -> Option<&'static str> {
    RECORDINGS.iter().find(|recording| recording.0 == name).map(|recording| recording.1)
}

/// The file of a recording; `None` if there is none of that name.
#[must_use]
pub fn file(name: &str) -> Option<&'static [u8]> {
    RECORDINGS.iter().find(|recording| recording.0 == name).map(|recording| recording.2)
}

/// The recording of that name; `None` if there is none.
///
/// # Panics
/// If the recording that comes with the crate is damaged.
#[must_use]
pub fn by_name(name: &str) -> Option<Trace> {
    file(name).map(|file| Trace::read(file).expect("the recording is whole"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::sweep::count_pairs;
    use broadleaf::Object;
    use std::collections::BTreeMap;

    /// The number of objects, of moves, and of pairs in the first and in the last frame.
    fn summary(trace: &Trace) -> (usize, usize, u64, u64) {
        let mut live: BTreeMap<u32, Object> = BTreeMap::new();
        let mut moves = 0;
        let count = |live: &BTreeMap<u32, Object>| count_pairs(&live.values().copied().collect::<Vec<_>>());
        let mut first = None;
        for frame in &trace.frames {
            live.retain(|id, _| !frame.removed.contains(id));
            live.extend(frame.spawned.iter().copied());
            for (id, shape) in &frame.moved {
                live.get_mut(id).unwrap().shape = *shape;
            }
            moves += frame.moved.len();
            first.get_or_insert_with(|| count(&live));
        }
        (live.len(), moves, first.unwrap(), count(&live))
    }

    #[test]
    fn recordings_are_what_they_say() {
        for (name, expected) in [
            ("pile", (3005, 406_525, 1142, 15_097)),
            ("tower", (1442, 390_782, 3936, 5106)),
            ("drum", (2034, 607_461, 3942, 2962)),
            ("level", (917, 49_226, 89, 693)),
        ] {
            let trace = by_name(name).unwrap();
            assert_eq!(trace.frames.len(), 300);
            assert_eq!(summary(&trace), expected, "{name}");
        }
        assert!(by_name("none").is_none());
    }
}
