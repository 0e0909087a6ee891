//! Diagnostics.

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
