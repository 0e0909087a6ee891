//! What the examples share: a window, a camera with light, and a picture of the window.
//!
//! `cargo run --bin stress [PICTURE.png [FRAMES]]`: with a path, the program runs for some frames of
//! equal length, saves what the window shows, and ends.

use bevy::app::AppExit;
use bevy::prelude::*;
use bevy::render::view::Tonemapping;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy::time::TimeUpdateStrategy;
use bevy::window::WindowResolution;
use std::time::Duration;

/// The window's size in pixels.
pub const SIZE: [u32; 2] = [960, 540];

/// Where the picture goes, and after how many frames it is taken.
#[derive(Resource, Clone)]
struct Picture {
    path: String,
    frames: u32,
}

/// An app with a window and Bevy's renderer; if a picture is wanted, it is taken after `frames`.
#[must_use]
pub fn app(title: &str, frames: u32) -> App {
    let mut app = App::new();
    let resolution = WindowResolution::new(SIZE[0], SIZE[1]);
    let window = Window { title: title.into(), resolution, ..Window::default() };
    app.add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..WindowPlugin::default() }));
    app.insert_resource(ClearColor(Color::srgb(0.05, 0.06, 0.08)));
    if let Some(path) = std::env::args().nth(1) {
        let frames = std::env::args().nth(2).and_then(|frames| frames.parse().ok()).unwrap_or(frames);
        app.insert_resource(Picture { path, frames });
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 60.0)));
        app.add_systems(Last, take_picture);
    }
    app
}

/// Whether the program runs to take a picture, with nobody at the mouse.
#[must_use]
pub fn is_picture_wanted() -> bool {
    std::env::args().nth(1).is_some()
}

fn take_picture(mut commands: Commands, picture: Res<Picture>, mut frame: Local<u32>) {
    *frame += 1;
    if *frame == picture.frames {
        let mut screenshot = commands.spawn(Screenshot::primary_window());
        screenshot.observe(save_to_disk(picture.path.clone()));
        screenshot.observe(|_: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
            exit.write(AppExit::Success);
        });
    }
}

/// A camera at a place that looks at another, and light from above.
pub fn look(world: &mut World, from: Vec3, at: Vec3) -> Entity {
    let light = DirectionalLight { illuminance: 6_000.0, ..DirectionalLight::default() };
    world.spawn((light, Transform::from_xyz(3.0, 8.0, 5.0).looking_at(Vec3::ZERO, Vec3::Y)));
    world.insert_resource(GlobalAmbientLight { brightness: 350.0, ..GlobalAmbientLight::default() });
    let camera = (Camera3d::default(), Tonemapping::AcesFitted, Msaa::Sample4);
    world.spawn((camera, Transform::from_translation(from).looking_at(at, Vec3::Y))).id()
}

/// Adds a mesh.
pub fn mesh(world: &mut World, mesh: impl Into<Mesh>) -> Handle<Mesh> {
    world.resource_mut::<Assets<Mesh>>().add(mesh.into())
}

/// Adds a material of one color, see-through if the color is.
pub fn material(world: &mut World, color: Color) -> Handle<StandardMaterial> {
    let alpha_mode = if color.alpha() < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque };
    let material =
        StandardMaterial { base_color: color, alpha_mode, perceptual_roughness: 0.7, ..StandardMaterial::default() };
    world.resource_mut::<Assets<StandardMaterial>>().add(material)
}
