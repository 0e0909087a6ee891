//! The spans of a frame. A program of its own: the spans of all apps of a process come to one subscriber.

#![cfg(feature = "trace")]

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_broadleaf::{BroadleafPlugin, SpatialCullingPlugin};
use bevy_camera::visibility::VisibilityPlugin;
use bevy_mesh::MeshPlugin;
use bevy_transform::TransformPlugin;
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

/// Beside other apps, whose systems a thread that waits for its own may run, spans could not be told apart.
#[test]
fn regression_a_frame_has_each_span_once() {
    let names = Arc::new(Mutex::new(Vec::new()));
    tracing::subscriber::set_global_default(Names(names.clone())).unwrap();
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), MeshPlugin, TransformPlugin, VisibilityPlugin));
    app.add_plugins((BroadleafPlugin::default(), SpatialCullingPlugin));
    #[cfg(feature = "picking")]
    app.add_plugins(bevy_broadleaf::SpatialPickingPlugin)
        .init_resource::<bevy_picking::backend::ray::RayMap>()
        .add_message::<bevy_picking::backend::PointerHits>();
    app.finish();
    app.cleanup();
    app.update();
    let names = names.lock().unwrap();
    let mut wanted = vec!["find changes", "sort changes", "apply changes", "overlap events", "culling"];
    if cfg!(feature = "picking") {
        wanted.push("picking");
    }
    for name in wanted {
        let count = names.iter().filter(|span| **span == format!("broadleaf: {name}")).count();
        assert_eq!(count, 1, "{name}");
    }
}
