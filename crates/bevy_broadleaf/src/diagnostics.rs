//! Counts and times in Bevy's diagnostics.

use crate::culling::CullingReport;
use crate::index::SpatialIndex;
use crate::plugin::require_index;
use bevy_app::{App, Last, Plugin};
use bevy_diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy_ecs::prelude::*;
use core::time::Duration;

/// Writes counts and milliseconds of each frame to Bevy's
/// [`DiagnosticsStore`](bevy_diagnostic::DiagnosticsStore), which `LogDiagnosticsPlugin` prints.
///
/// # Panics
/// When the app finishes its plugins, if there is no [`BroadleafPlugin`](crate::BroadleafPlugin).
#[derive(Debug, Clone, Copy, Default)]
pub struct SpatialDiagnosticsPlugin;

impl SpatialDiagnosticsPlugin {
    /// Entities in the index.
    pub const ENTITIES: DiagnosticPath = DiagnosticPath::const_new("broadleaf/entities");
    /// Nodes of the tree.
    pub const NODES: DiagnosticPath = DiagnosticPath::const_new("broadleaf/nodes");
    /// Entities that came, moved or left in a frame.
    pub const CHANGES: DiagnosticPath = DiagnosticPath::const_new("broadleaf/changes");
    /// Overlaps that are reported.
    pub const OVERLAPS: DiagnosticPath = DiagnosticPath::const_new("broadleaf/overlaps");
    /// Entities that the cameras see, if the culling is the plugin's.
    pub const VISIBLE: DiagnosticPath = DiagnosticPath::const_new("broadleaf/visible");
    /// The time of the synchronisation.
    pub const SYNC: DiagnosticPath = DiagnosticPath::const_new("broadleaf/sync");
    /// The time of the events.
    pub const EVENTS: DiagnosticPath = DiagnosticPath::const_new("broadleaf/events");
    /// The time of the culling.
    pub const CULLING: DiagnosticPath = DiagnosticPath::const_new("broadleaf/culling");
}

impl Plugin for SpatialDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        for path in [Self::ENTITIES, Self::NODES, Self::CHANGES, Self::OVERLAPS, Self::VISIBLE] {
            app.register_diagnostic(Diagnostic::new(path));
        }
        for path in [Self::SYNC, Self::EVENTS, Self::CULLING] {
            app.register_diagnostic(Diagnostic::new(path).with_suffix("ms"));
        }
        app.add_systems(Last, measure);
    }

    fn finish(&self, app: &mut App) {
        require_index(app, "SpatialDiagnosticsPlugin");
    }
}

fn measure(index: Res<SpatialIndex>, culling: Option<Res<CullingReport>>, mut diagnostics: Diagnostics) {
    let report = index.report();
    let changes = report.inserted + report.moved + report.removed;
    let mut count = |path, count: usize| diagnostics.add_measurement(&path, || count as f64);
    count(SpatialDiagnosticsPlugin::ENTITIES, index.len());
    count(SpatialDiagnosticsPlugin::NODES, index.counters().nodes_live);
    count(SpatialDiagnosticsPlugin::CHANGES, changes);
    count(SpatialDiagnosticsPlugin::OVERLAPS, index.overlaps().len());
    let mut time = |path, time: Duration| diagnostics.add_measurement(&path, || time.as_secs_f64() * 1e3);
    time(SpatialDiagnosticsPlugin::SYNC, report.sync);
    time(SpatialDiagnosticsPlugin::EVENTS, report.events);
    if let Some(culling) = culling {
        time(SpatialDiagnosticsPlugin::CULLING, culling.time);
        diagnostics.add_measurement(&SpatialDiagnosticsPlugin::VISIBLE, || culling.visible as f64);
    }
}
