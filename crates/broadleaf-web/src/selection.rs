//! The picked object, in words.

use crate::protocol::Selection;
use crate::questions::name;
use crate::world::{LAYERS, World};
use broadleaf::{Handle, Mobility, Object, Ray, Shape};

/// The first object that a ray meets, of the layers that are on.
pub(crate) fn pick(world: &mut World, ray: &Ray) -> Option<Handle> {
    let layers = world.layers();
    let question = world.tree_mut().view().cast(ray);
    let hit = match layers {
        Some(layers) => question.layers(layers).closest(),
        None => question.closest(),
    };
    hit.map(|hit| hit.handle)
}

/// The object of a slot, or of the next slot that is in use; the first after the last.
pub(crate) fn pick_slot(world: &World, slot: u32) -> Option<Handle> {
    let mut handles = world.tree().iter().map(|(handle, _)| handle);
    let first = handles.next()?;
    if first.slot() >= slot { Some(first) } else { handles.find(|handle| handle.slot() >= slot).or(Some(first)) }
}

/// What there is to say of an object; `None` if it lives no more.
pub(crate) fn describe(world: &mut World, handle: Handle) -> Option<Selection> {
    let object = world.tree().get(handle)?;
    let neighbours = neighbours(world, handle);
    Some(Selection {
        handle: name(handle),
        slot: handle.slot(),
        text: text(handle, &object),
        center: object.shape.aabb().center().to_array(),
        neighbours: neighbours.iter().map(|handle| name(*handle)).collect(),
        neighbour_slots: neighbours.iter().map(|handle| handle.slot()).collect(),
    })
}

/// The objects that an object overlaps, sorted.
pub(crate) fn neighbours(world: &mut World, handle: Handle) -> Vec<Handle> {
    let mut found = Vec::new();
    if let Ok(question) = world.tree_mut().view().pairs_of(handle) {
        question.collect_into(&mut found);
    }
    found.sort_unstable();
    found
}

fn text(handle: Handle, object: &Object) -> String {
    let mobility = if object.mobility == Mobility::Static { "static" } else { "moving" };
    let layer = handle.slot() % LAYERS;
    let shape = match object.shape {
        Shape::Sphere(sphere) => {
            let [x, y, z] = sphere.center.to_array();
            format!("sphere of radius {:.2} at ({x:.2}, {y:.2}, {z:.2})", sphere.radius)
        }
        shape => {
            let aabb = shape.aabb();
            let ([a, b, c], [x, y, z]) = (aabb.extents().to_array(), aabb.center().to_array());
            format!("box {a:.2} × {b:.2} × {c:.2} at ({x:.2}, {y:.2}, {z:.2})")
        }
    };
    format!("slot {}, generation {}: {mobility} {shape}, layer {layer}", handle.slot(), handle.generation())
}
