//! Changes of a tree: inserting, updating, removing, setting.

use crate::border::{Caller, border};
use crate::callbacks::{Callback, bl_keep};
use crate::failure::{Failure, bl_status, check_all};
use crate::octree::{bl_octree, stale};
use crate::types::{
    bl_aabb, bl_entry, bl_handle, bl_layers, bl_mobility, bl_object, bl_shape, bl_sphere, handle, mobility_choice, vec3,
};
use broadleaf::{Handle, Object, Shape};
use std::ffi::c_void;

/// Inserts an object; its handle is good at once.
///
/// Errors: a shape that is not legal, or `BL_STATUS_TOO_MANY_OBJECTS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_insert(
    tree: *mut bl_octree,
    object: *const bl_object,
    handle: *mut bl_handle,
) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        let object = caller.value(object, "object")?;
        let place = caller.room(handle, "handle")?;
        object.check()?;
        place.write(tree.tree.insert(*object)?.to_bits());
        Ok(())
    })
}

/// Inserts objects; the handle of `objects[i]` becomes `handles[i]`. Into an
/// empty tree this is the bulk build, the fastest way to fill it.
///
/// Errors: the first object that is not legal, with its index; then none is inserted.
/// Cost: linear; on the threads that `bl_octree_set_threads` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_insert_many(
    tree: *mut bl_octree,
    objects: *const bl_object,
    count: usize,
    handles: *mut bl_handle,
) -> bl_status {
    border!(|caller| {
        let objects = caller.slice(objects, count, "objects")?;
        check_all(objects, bl_object::check)?;
        insert(caller, tree, objects, handles)
    })
}

/// Inserts boxes, as `bl_octree_insert_many` does: moving objects on all layers, with user data 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_insert_aabbs(
    tree: *mut bl_octree,
    aabbs: *const bl_aabb,
    count: usize,
    handles: *mut bl_handle,
) -> bl_status {
    border!(|caller| insert(caller, tree, caller.boxes(aabbs, count, "aabbs")?, handles))
}

/// Inserts spheres, as `bl_octree_insert_many` does: moving objects on all layers, with user data 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_insert_spheres(
    tree: *mut bl_octree,
    spheres: *const bl_sphere,
    count: usize,
    handles: *mut bl_handle,
) -> bl_status {
    border!(|caller| insert(caller, tree, caller.spheres(spheres, count, "spheres")?, handles))
}

fn insert<O: Into<Object> + Copy + Sync>(
    caller: &Caller,
    tree: *mut bl_octree,
    objects: &[O],
    handles: *mut bl_handle,
) -> Result<(), Failure> {
    let bl_octree { tree, handles: given, .. } = caller.exclusive(tree, "tree")?;
    let places = caller.array(handles, objects.len(), "handles")?;
    tree.insert_many(objects, given)?;
    for (place, handle) in places.iter_mut().zip(given) {
        place.write(handle.to_bits());
    }
    Ok(())
}

/// Replaces the shape of an object; a box may become a sphere and back.
///
/// Errors: `BL_STATUS_STALE_HANDLE`, or a shape that is not legal.
/// Cost: constant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_update(
    tree: *mut bl_octree,
    object: bl_handle,
    shape: *const bl_shape,
) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        let shape = caller.value(shape, "shape")?;
        shape.check()?;
        Ok(tree.tree.update(handle("object", object)?, *shape)?)
    })
}

/// Replaces the shapes of objects: `shapes[i]` becomes that of `handles[i]`. Of
/// a handle given twice, the last shape stays.
///
/// Errors: the first stale handle or shape that is not legal, with its index; then nothing is changed.
/// Cost: linear. One call for all objects is cheaper than several for parts of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_update_many(
    tree: *mut bl_octree,
    handles: *const bl_handle,
    shapes: *const bl_shape,
    count: usize,
) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        let shapes = caller.slice(shapes, count, "shapes")?;
        check_all(shapes, bl_shape::check)?;
        read_handles(caller, &mut tree.handles, handles, count)?;
        tree.shapes.clear();
        tree.shapes.extend(shapes.iter().map(|&shape| Shape::from(shape)));
        Ok(tree.tree.update_many(&tree.handles, &tree.shapes)?)
    })
}

/// Replaces the shapes of objects by boxes, as `bl_octree_update_many` does; reads them where they lie.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_update_aabbs(
    tree: *mut bl_octree,
    handles: *const bl_handle,
    aabbs: *const bl_aabb,
    count: usize,
) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        let aabbs = caller.boxes(aabbs, count, "aabbs")?;
        read_handles(caller, &mut tree.handles, handles, count)?;
        Ok(tree.tree.update_many(&tree.handles, aabbs)?)
    })
}

/// Replaces the shapes of objects by spheres, as `bl_octree_update_many` does; reads them where they lie.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_update_spheres(
    tree: *mut bl_octree,
    handles: *const bl_handle,
    spheres: *const bl_sphere,
    count: usize,
) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        let spheres = caller.spheres(spheres, count, "spheres")?;
        read_handles(caller, &mut tree.handles, handles, count)?;
        Ok(tree.tree.update_many(&tree.handles, spheres)?)
    })
}

/// Reads an array of handles. A number that is none is refused with its index.
fn read_handles(
    caller: &Caller,
    handles: &mut Vec<Handle>,
    bits: *const bl_handle,
    count: usize,
) -> Result<(), Failure> {
    handles.clear();
    let bits = caller.slice(bits, count, "handles")?;
    handles.extend(bits.iter().map_while(|&bits| Handle::from_bits(bits)));
    match bits.get(handles.len()) {
        None => Ok(()),
        Some(&bits) => Err(Failure::BadHandle { name: "the element", bits }.at(handles.len())),
    }
}

/// Removes an object.
///
/// `description`: what was removed is written here, unless it is NULL.
/// Errors: `BL_STATUS_STALE_HANDLE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_remove(
    tree: *mut bl_octree,
    object: bl_handle,
    description: *mut bl_object,
) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        let place = if description.is_null() { None } else { Some(caller.room(description, "description")?) };
        let removed = tree.tree.remove(handle("object", object)?).ok_or_else(|| stale(object))?;
        if let Some(place) = place {
            place.write(removed.into());
        }
        Ok(())
    })
}

/// Removes objects.
///
/// Errors: the first handle that is stale, or stands in the array already, with its index; then nothing is removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_remove_many(
    tree: *mut bl_octree,
    handles: *const bl_handle,
    count: usize,
) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        read_handles(caller, &mut tree.handles, handles, count)?;
        Ok(tree.tree.remove_many(&tree.handles)?)
    })
}

/// Removes the objects that the function does not keep; it is asked once of
/// each, lowest slot first, and must not use the tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_retain(tree: *mut bl_octree, keep: bl_keep, context: *mut c_void) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        let keep = Callback::of(keep, context).ok_or(Failure::NullPointer("keep"))?;
        tree.tree
            .retain(|handle, object| keep.keeps(&bl_entry { handle: handle.to_bits(), object: object.into() }) != 0);
        Ok(())
    })
}

/// Replaces the layers of an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_set_layers(tree: *mut bl_octree, object: bl_handle, layers: bl_layers) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        Ok(tree.tree.set_layers(handle("object", object)?, layers.into())?)
    })
}

/// Makes an object static or moving.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_set_mobility(
    tree: *mut bl_octree,
    object: bl_handle,
    mobility: bl_mobility,
) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        Ok(tree.tree.set_mobility(handle("object", object)?, mobility_choice(mobility)?)?)
    })
}

/// Replaces the user data of an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_set_user_data(tree: *mut bl_octree, object: bl_handle, user_data: u64) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        Ok(tree.tree.set_user_data(handle("object", object)?, user_data)?)
    })
}

/// Removes all objects, keeping the memory. Every handle becomes stale.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_clear(tree: *mut bl_octree) -> bl_status {
    border!(|caller| {
        caller.exclusive(tree, "tree")?.tree.clear();
        Ok(())
    })
}

/// Makes room for so many more objects.
///
/// Errors: `BL_STATUS_PANIC` if so much has a size beyond all memory. An allocation that fails aborts the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_reserve(tree: *mut bl_octree, objects: usize) -> bl_status {
    border!(|caller| {
        caller.exclusive(tree, "tree")?.tree.reserve(objects);
        Ok(())
    })
}

/// Frees memory that is not in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_shrink_to_fit(tree: *mut bl_octree) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        tree.tree.shrink_to_fit();
        (tree.handles, tree.shapes) = (Vec::new(), Vec::new());
        Ok(())
    })
}

/// Builds the tree anew from all its objects. Worth calling after most of them
/// have moved far; `bl_octree_flush` does so by itself when that is less work.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_rebuild(tree: *mut bl_octree) -> bl_status {
    border!(|caller| {
        caller.exclusive(tree, "tree")?.tree.rebuild();
        Ok(())
    })
}

/// Moves the origin to `shift`, three floats: every position p becomes p - shift. Handles stay good.
///
/// Errors: a shift that is not finite, or `BL_STATUS_OUT_OF_RANGE` if it takes an object beyond 32-bit floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_shift_origin(tree: *mut bl_octree, shift: *const f32) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        let shift = caller.value(shift.cast::<[f32; 3]>(), "shift")?;
        Ok(tree.tree.shift_origin(vec3(*shift))?)
    })
}
