//! What the examples share: Bevy without a window, and a picture to look at.

pub(crate) mod picture;

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_camera::visibility::VisibilityPlugin;
use bevy_mesh::MeshPlugin;
use bevy_transform::TransformPlugin;

/// Bevy's transforms, visibility and meshes, as `DefaultPlugins` has them, without a window.
pub(crate) fn headless() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), MeshPlugin, TransformPlugin, VisibilityPlugin));
    app
}

/// Where the picture is to be written: the first argument, if there is one.
pub(crate) fn picture_path() -> Option<String> {
    std::env::args().nth(1)
}
