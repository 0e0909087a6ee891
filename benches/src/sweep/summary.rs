//! What the rows of the sweep come to: for each operation the worst, the
//! tenth percentile, the median and the best ratio.

use super::Measure;
use crate::events::ALL_PAIRS;
use crate::record::Row;
use crate::subjects::PLAIN_TREE;

/// Names of the library's rows begin so.
const OWN: &str = "broadleaf";
/// The tracer in C++, apart from which the best is named too.
const EMBREE: &str = "Embree";

/// Whom a row is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Against {
    /// The best of all that are neither the library nor the plain tree.
    BestPeer,
    /// The same without Embree.
    BestButEmbree,
    Embree,
    PlainTree,
    /// The library's list of all pairs of the same frames, where the row is of events.
    AllPairs,
}

impl Against {
    const ALL: [Self; 5] = [Self::BestPeer, Self::BestButEmbree, Self::Embree, Self::PlainTree, Self::AllPairs];

    fn name(self) -> &'static str {
        match self {
            Self::BestPeer => "best peer",
            Self::BestButEmbree => "best peer but Embree",
            Self::Embree => EMBREE,
            Self::PlainTree => PLAIN_TREE,
            Self::AllPairs => "all pairs of the same frames",
        }
    }

    /// Whether a row's subject is one of these, in an operation.
    fn includes(self, subject: &str) -> bool {
        let (is_own, is_plain) = (subject.starts_with(OWN), subject == PLAIN_TREE);
        match self {
            Self::BestPeer => !is_own && !is_plain,
            Self::BestButEmbree => !is_own && !is_plain && !subject.starts_with(EMBREE),
            Self::Embree => subject.starts_with(EMBREE),
            Self::PlainTree => is_plain,
            Self::AllPairs => subject == ALL_PAIRS,
        }
    }
}

/// The library beside another in one row.
struct Ratio<'a> {
    own: &'a Row,
    other: &'a Row,
    /// How many times as quick, or as small, the library is.
    ratio: f64,
}

fn is_same_case(a: &Row, b: &Row) -> bool {
    a.scene == b.scene && a.count == b.count && a.caches == b.caches
}

fn ratio<'a>(rows: &'a [Row], own: &'a Row, against: Against) -> Option<Ratio<'a>> {
    let case = rows.iter().filter(|row| is_same_case(row, own));
    let others = case.filter(|row| row.operation == own.operation && against.includes(&row.subject));
    let other = others.min_by(|a, b| a.value.total_cmp(&b.value))?;
    Some(Ratio { own, other, ratio: other.value / own.value })
}

/// Sorted, the worst first.
fn ratios<'a>(rows: &'a [Row], measure: Measure, caches: &str, against: Against) -> Vec<Ratio<'a>> {
    let own = rows.iter().filter(|row| row.operation == measure.name() && row.caches == caches && row.subject == OWN);
    let mut ratios: Vec<Ratio> = own.filter_map(|row| ratio(rows, row, against)).collect();
    ratios.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    ratios
}

/// The value below which so many in a hundred of the sorted ratios lie; the nearest rank.
fn percentile(ratios: &[Ratio], percent: usize) -> f64 {
    ratios[(ratios.len() * percent).div_ceil(100).max(1) - 1].ratio
}

/// A table with a line for each operation, state of the caches and opponent.
#[must_use]
pub fn summary(rows: &[Row]) -> String {
    let mut text = String::from("| operation | caches | against | rows | worst | 10 % | median | best | worst at |\n");
    text.push_str("|---|---|---|---:|---:|---:|---:|---:|---|\n");
    let has_embree = rows.iter().any(|row| row.subject.starts_with(EMBREE));
    for measure in Measure::ALL {
        for caches in ["warm", "cold", ""] {
            for against in Against::ALL {
                if against == Against::BestButEmbree && !(has_embree && measure == Measure::Ray) {
                    continue;
                }
                let ratios = ratios(rows, measure, caches, against);
                let (Some(worst), Some(best)) = (ratios.first(), ratios.last()) else { continue };
                let (name, against, number) = (measure.name(), against.name(), ratios.len());
                let (tenth, median) = (percentile(&ratios, 10), percentile(&ratios, 50));
                let place = format!("{}, {}, {}", worst.own.scene, worst.own.count, worst.other.subject);
                text += &format!(
                    "| {name} | {caches} | {against} | {number} | {:.2} | {tenth:.2} | {median:.2} | {:.2} | {place} |\n",
                    worst.ratio, best.ratio
                );
            }
        }
    }
    text
}

/// A table of all rows in which the library is behind the best peer or the plain tree, the worst first.
#[must_use]
pub fn losses(rows: &[Row]) -> String {
    let mut all = Vec::new();
    for measure in Measure::ALL {
        for caches in ["warm", "cold", ""] {
            for against in [Against::BestPeer, Against::PlainTree] {
                all.extend(ratios(rows, measure, caches, against).into_iter().filter(|ratio| ratio.ratio < 1.0));
            }
        }
    }
    all.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let mut text = String::from("| ratio | operation | caches | scene | count | broadleaf | other | | unit |\n");
    text.push_str("|---:|---|---|---|---:|---:|---:|---|---|\n");
    for Ratio { own, other, ratio } in all {
        let Row { operation, caches, scene, count, value, unit, .. } = own;
        text += &format!(
            "| {ratio:.2} | {operation} | {caches} | {scene} | {count} | {value:.1} | {:.1} | {} | {unit} |\n",
            other.value, other.subject
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(operation: &str, scene: &str, subject: &str, value: f64) -> Row {
        Row {
            operation: operation.to_owned(),
            caches: "cold",
            scene: scene.to_owned(),
            count: 10,
            subject: subject.to_owned(),
            value,
            least: value,
            unit: if operation == "events" { "us/frame" } else { "ns/object" }.to_owned(),
            rounds: 1,
            answers: 1,
        }
    }

    #[test]
    fn the_best_of_the_peers_counts_and_the_plain_tree_apart() {
        let rows = [
            row("pairs", "even", "broadleaf", 10.0),
            row("pairs", "even", "slow", 40.0),
            row("pairs", "even", "quick", 20.0),
            row("pairs", "even", "plain tree", 5.0),
            row("pairs", "road", "broadleaf", 10.0),
            row("pairs", "road", "slow", 8.0),
        ];
        let table = summary(&rows);
        assert!(
            table.contains("| pairs | cold | best peer | 2 | 0.80 | 0.80 | 0.80 | 2.00 | road, 10, slow |"),
            "{table}"
        );
        assert!(table.contains("| pairs | cold | plain tree | 1 | 0.50 |"), "{table}");
        let losses = losses(&rows);
        assert_eq!(losses.lines().count(), 4, "{losses}");
    }

    #[test]
    fn events_are_compared_with_the_list_of_all_pairs() {
        let rows = [row("events", "even", ALL_PAIRS, 2.0), row("events", "even", "broadleaf", 4.0)];
        assert!(summary(&rows).contains("| events | cold | all pairs of the same frames | 1 | 0.50 |"));
    }
}
