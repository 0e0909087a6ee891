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
    use bevy_app::{PostUpdate, PreUpdate};
    use bevy_broadleaf::SpatialCullingPlugin;
    use bevy_ecs::schedule::{ScheduleLabel, SingleThreadedExecutor};
    use std::sync::{Arc, Mutex};
    use std::thread::ThreadId;
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    /// Keeps the names of spans, and on which thread they were entered.
    struct Names(Arc<Mutex<Vec<(ThreadId, &'static str)>>>);

    impl Subscriber for Names {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let mut names = self.0.lock().unwrap();
            names.push((std::thread::current().id(), span.metadata().name()));
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
        tracing::subscriber::set_global_default(Names(names.clone())).unwrap();
        let mut app = app(SpatialSettings::default());
        app.add_plugins(SpatialCullingPlugin);
        #[cfg(feature = "picking")]
        app.add_plugins(bevy_broadleaf::SpatialPickingPlugin)
            .init_resource::<bevy_picking::backend::ray::RayMap>()
            .add_message::<bevy_picking::backend::PointerHits>();
        app.finish();
        app.cleanup();
        // All systems on this thread, so that no span is that of another test.
        for schedule in [PreUpdate.intern(), PostUpdate.intern()] {
            app.edit_schedule(schedule, |schedule| {
                schedule.set_executor(SingleThreadedExecutor::new());
            });
        }
        app.update();
        let this = std::thread::current().id();
        let names = names.lock().unwrap();
        let mut wanted = vec!["find changes", "sort changes", "apply changes", "overlap events", "culling"];
        if cfg!(feature = "picking") {
            wanted.push("picking");
        }
        for name in wanted {
            let count = names.iter().filter(|span| **span == (this, &*format!("broadleaf: {name}"))).count();
            assert_eq!(count, 1, "{name}");
        }
    }
}
