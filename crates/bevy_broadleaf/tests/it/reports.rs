//! Diagnostics and spans.

use crate::zoo::{Random, app, index, spawn};
use bevy_broadleaf::{EventScope, SpatialDiagnosticsPlugin, SpatialSettings};
use bevy_diagnostic::{DiagnosticPath, DiagnosticsStore};

#[test]
fn diagnostics_tell_counts_and_times() {
    let settings = SpatialSettings { events: EventScope::Everyone, ..SpatialSettings::default() };
    let (mut app, mut random) = (app(settings), Random::new(41));
    app.add_plugins(SpatialDiagnosticsPlugin);
    (0..200).for_each(|_| {
        spawn(app.world_mut(), &mut random);
    });
    app.update();
    let value = |path: &DiagnosticPath| app.world().resource::<DiagnosticsStore>().get(path).unwrap().value();
    assert_eq!(value(&SpatialDiagnosticsPlugin::ENTITIES), Some(200.0));
    assert_eq!(value(&SpatialDiagnosticsPlugin::CHANGES), Some(200.0));
    let overlaps = index(&app).overlaps().len();
    assert!(overlaps > 0);
    assert_eq!(value(&SpatialDiagnosticsPlugin::OVERLAPS), Some(overlaps as f64));
    assert!(value(&SpatialDiagnosticsPlugin::NODES).unwrap() > 1.0);
    assert!(value(&SpatialDiagnosticsPlugin::SYNC).unwrap() > 0.0);
    assert!(value(&SpatialDiagnosticsPlugin::EVENTS).unwrap() > 0.0);
    assert_eq!(value(&SpatialDiagnosticsPlugin::CULLING), None, "the culling is Bevy's");
}

#[cfg(feature = "trace")]
mod spans {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    /// Keeps the names of spans.
    struct Names(Arc<Mutex<Vec<&'static str>>>);

    impl Subscriber for Names {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let mut names = self.0.lock().unwrap();
            names.push(span.metadata().name());
            Id::from_u64(names.len() as u64)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn a_frame_has_spans() {
        let names = Arc::new(Mutex::new(Vec::new()));
        // Systems may run on any thread.
        tracing::subscriber::set_global_default(Names(names.clone())).unwrap();
        let mut app = app(SpatialSettings::default());
        app.update();
        let names = names.lock().unwrap();
        for name in ["find changes", "sort changes", "apply changes", "overlap events"] {
            assert!(names.iter().any(|span| *span == format!("broadleaf: {name}")), "{name}");
        }
    }
}
