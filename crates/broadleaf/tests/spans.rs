//! The spans of the feature `tracing`, collected by a subscriber.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Batch, Octree, PairTracker, QueryStats, Scratch};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A span: its name, how many spans it lies in, and its fields.
#[derive(Debug, Clone, PartialEq)]
struct Span {
    name: &'static str,
    depth: usize,
    fields: BTreeMap<&'static str, u64>,
}

impl Visit for Span {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.fields.insert(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        panic!("{} of {} is no count: {value:?}", field.name(), self.name);
    }
}

#[derive(Debug, Default)]
struct Collected {
    spans: Vec<Span>,
    depth: usize,
}

/// Keeps every span of the library.
#[derive(Debug, Clone, Default)]
struct Collector(Arc<Mutex<Collected>>);

impl Collector {
    /// The spans since the last call.
    fn take(&self) -> Vec<Span> {
        let mut collected = self.0.lock().unwrap();
        assert_eq!(collected.depth, 0, "a span is still open");
        std::mem::take(&mut collected.spans)
    }
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        assert_eq!((metadata.target(), *metadata.level()), ("broadleaf", Level::DEBUG));
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut collected = self.0.lock().unwrap();
        let name = attributes.metadata().name();
        let mut span = Span { name, depth: collected.depth, fields: BTreeMap::new() };
        attributes.record(&mut span);
        collected.spans.push(span);
        Id::from_u64(collected.spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut collected = self.0.lock().unwrap();
        let at = usize::try_from(id.into_u64()).unwrap() - 1;
        values.record(&mut collected.spans[at]);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {
        self.0.lock().unwrap().depth += 1;
    }

    fn exit(&self, _: &Id) {
        self.0.lock().unwrap().depth -= 1;
    }
}

fn span<const N: usize>(name: &'static str, depth: usize, fields: [(&'static str, usize); N]) -> Span {
    Span { name, depth, fields: fields.map(|(field, count)| (field, count as u64)).into() }
}

/// Boxes in a row, of which each touches the next.
fn row(count: usize, lift: f32) -> Vec<Aabb> {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    (0..count).map(|index| unit.translated(Vec3::new(index as f32, lift * index as f32, 0.0))).collect()
}

#[test]
fn each_step_of_a_frame_is_a_span_with_its_counts() {
    let collector = Collector::default();
    tracing::subscriber::with_default(collector.clone(), || {
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        tree.insert_many(&row(1000, 0.0), &mut handles).unwrap();
        assert_eq!(collector.take(), [span("insert_many", 0, [("objects", 1000)])]);

        let (mut scratch, mut found) = (Scratch::new(), Vec::new());
        let mut work = QueryStats::default();
        tree.view().pairs(&mut scratch).stats(&mut work).collect_into(&mut found);
        assert_eq!(found.len(), 999);
        let tested = usize::try_from(work.objects_tested).unwrap();
        let spans = collector.take();
        assert_eq!(spans, [span("pairs", 0, [("objects", 1000), ("objects_tested", tested), ("pairs", 999)])]);

        let mut tracker = PairTracker::new();
        tracker.update(tree.changes());
        let events = |begun, ended| {
            let pairs = 999 + begun - ended - if begun == 0 { 0 } else { 999 };
            span("events", 0, [("objects", 1000), ("pairs", pairs), ("begun", begun), ("ended", ended)])
        };
        assert_eq!(collector.take(), [events(999, 0)]);

        // A few objects go up: each stays in its cell or is placed anew.
        let before = tree.counters();
        tree.update_many(&handles[..3], &row(3, 2.0)).unwrap();
        tracker.update(tree.changes());
        let after = tree.counters();
        assert_eq!(after.rebuilds, before.rebuilds);
        let (misplaced, nodes) = (after.relocations - before.relocations, after.refits - before.refits);
        assert!(nodes > 0);
        let update = [("objects", 1000), ("pending", 0), ("misplaced", misplaced as usize)];
        assert_eq!(
            collector.take(),
            [
                span("update_many", 0, [("objects", 3)]),
                span("update", 0, update),
                span("refit", 1, [("nodes", nodes as usize)]),
                events(0, 3),
            ]
        );

        // Nothing to do: no span of the view.
        assert_eq!(tree.view().len(), 1000);
        assert_eq!(collector.take(), []);

        let mut batch = Batch::new();
        tree.view().overlap_many(&row(100, 0.0)).unwrap().collect_into(&mut batch);
        let answers = batch.answers().len();
        let spans = collector.take();
        let order = span("batch_order", 0, [("questions", 100)]);
        assert_eq!(spans, [order, span("batch", 0, [("questions", 100), ("answers", answers)])]);

        tree.rebuild();
        assert_eq!(collector.take(), [span("rebuild", 0, [("objects", 1000)])]);
        for shape in row(1000, 5.0) {
            tree.insert(shape).unwrap();
        }
        assert_eq!(tree.view().len(), 2000);
        let update = [("objects", 2000), ("pending", 1000), ("misplaced", 0)];
        assert_eq!(collector.take(), [span("update", 0, update), span("rebuild", 1, [("objects", 2000)])]);
    });
}
