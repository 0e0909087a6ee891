//! The tree: made, copied, freed; up to date or not; what it holds.

use crate::border::{Opaque, border};
use crate::failure::{Failure, bl_status};
use crate::types::{
    bl_aabb, bl_entry, bl_handle, bl_object, bl_shape, bl_threads, handle, threads_choice, threads_number,
};
use broadleaf::{Config, Handle, Octree, Shape, View};

/// A dynamic octree over boxes and spheres.
///
/// Functions that take a `const bl_octree *` may be called from any number of
/// threads at once, as long as none takes the same tree without `const`.
pub struct bl_octree {
    pub(crate) tree: Octree,
    /// The handles of an array of the caller's, or those that were given out.
    pub(crate) handles: Vec<Handle>,
    /// The shapes of an array of the caller's.
    pub(crate) shapes: Vec<Shape>,
}

impl Opaque for bl_octree {}

impl bl_octree {
    pub(crate) fn new(tree: Octree) -> Self {
        Self { tree, handles: Vec::new(), shapes: Vec::new() }
    }

    /// The tree for asking, if it is up to date.
    pub(crate) fn view(&self) -> Result<View<'_>, Failure> {
        self.tree.try_view().ok_or(Failure::NotUpToDate)
    }
}

/// Settings of a tree. Begin with `bl_config_default` or `bl_config_strict`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_config {
    /// How many edges of its cell an object may be long, plus one: 1 to 2^20. At 1 an
    /// object that straddles a boundary stays with the parent.
    pub looseness: f32,
    /// Edge of the smallest cell in world units, 2^-40 to 2^40. If many objects lie 2^24
    /// such cells or more from the origin, it is doubled until cells reach all but a few;
    /// if many would share one, it is halved.
    pub smallest_cell: f32,
    /// Objects in a leaf before it splits, 1 to 64.
    pub leaf_capacity: u32,
    /// Levels below the root at which cells no longer split, 1 to 21.
    pub depth_limit: u32,
    /// How much larger than its shape an object is kept, in world units, 0 to 2^40, so that
    /// a small move does not touch the tree. Questions and pairs are then those of the larger shapes.
    pub margin_absolute: f32,
    /// The same in proportion to the longest edge of the object's box, 0 to 1.
    pub margin_relative: f32,
}

impl From<Config> for bl_config {
    fn from(config: Config) -> Self {
        Self {
            looseness: config.looseness,
            smallest_cell: config.smallest_cell,
            leaf_capacity: config.leaf_capacity,
            depth_limit: config.depth_limit,
            margin_absolute: config.margin.absolute,
            margin_relative: config.margin.relative,
        }
    }
}

impl From<bl_config> for Config {
    #[expect(clippy::field_reassign_with_default, reason = "settings that are added keep their default")]
    fn from(config: bl_config) -> Self {
        let mut made = Self::default();
        made.looseness = config.looseness;
        made.smallest_cell = config.smallest_cell;
        made.leaf_capacity = config.leaf_capacity;
        made.depth_limit = config.depth_limit;
        made.margin.absolute = config.margin_absolute;
        made.margin.relative = config.margin_relative;
        made
    }
}

/// Returns the default settings: loose cells, no margin.
#[unsafe(no_mangle)]
pub extern "C" fn bl_config_default() -> bl_config {
    Config::default().into()
}

/// Returns settings that reproduce the classic strict octree: full containment,
/// cells of at least one unit, and no subdivision for a lone object.
#[unsafe(no_mangle)]
pub extern "C" fn bl_config_strict() -> bl_config {
    Config::strict().into()
}

/// Makes an empty tree. Free it with `bl_octree_free`.
///
/// `config`: the settings; NULL for the default ones.
/// Errors: `BL_STATUS_OUT_OF_RANGE` names the first setting that is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_new(config: *const bl_config, tree: *mut *mut bl_octree) -> bl_status {
    border!(|caller| {
        let config = caller.optional(config, "config")?;
        let place = caller.room(tree, "tree")?;
        let made = Octree::new(config.map_or_else(Config::default, |config| (*config).into()))?;
        caller.give(place, bl_octree::new(made));
        Ok(())
    })
}

/// Frees a tree; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_free(tree: *mut bl_octree) {
    border!(|caller| caller.free(tree, "tree"));
}

/// Makes a copy of a tree, which goes on bit for bit like the original: the same results in the same order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_clone(tree: *const bl_octree, copy: *mut *mut bl_octree) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        let place = caller.room(copy, "copy")?;
        caller.give(place, bl_octree::new(tree.tree.clone()));
        Ok(())
    })
}

/// Copies a tree into one that is there already: without allocation if its
/// memory suffices, as for taking a snapshot every frame.
///
/// `source`: may be `tree` itself; then nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_copy(tree: *mut bl_octree, source: *const bl_octree) -> bl_status {
    border!(|caller| {
        let source_tree = caller.shared(source, "source")?;
        // One object cannot be borrowed both ways.
        if !std::ptr::eq(tree, source) {
            caller.exclusive(tree, "tree")?.tree.clone_from(&source_tree.tree);
        }
        Ok(())
    })
}

/// Brings the tree up to date: places what was inserted, relocates what has
/// moved out of its cell, refits. Call it after the changes of a frame and before the
/// questions, which refuse a tree that is not up to date with `BL_STATUS_NOT_UP_TO_DATE`.
///
/// Cost: in proportion to what changed; nothing if nothing did.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_flush(tree: *mut bl_octree) -> bl_status {
    border!(|caller| {
        caller.exclusive(tree, "tree")?.tree.view();
        Ok(())
    })
}

/// Tells whether the tree is up to date: 1 if it can be asked, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_is_up_to_date(tree: *const bl_octree, answer: *mut u32) -> bl_status {
    border!(|caller| {
        let is = caller.shared(tree, "tree")?.tree.try_view().is_some();
        caller.room(answer, "answer")?.write(u32::from(is));
        Ok(())
    })
}

/// Tells the settings of a tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_config(tree: *const bl_octree, config: *mut bl_config) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        caller.room(config, "config")?.write(tree.tree.config().into());
        Ok(())
    })
}

/// Sets which threads make bulk builds from now on. The tree is the same, bit for bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_set_threads(tree: *mut bl_octree, threads: bl_threads) -> bl_status {
    border!(|caller| {
        let tree = caller.exclusive(tree, "tree")?;
        tree.tree.set_threads(threads_choice(threads)?);
        Ok(())
    })
}

/// Tells which threads make bulk builds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_threads(tree: *const bl_octree, threads: *mut bl_threads) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        caller.room(threads, "threads")?.write(threads_number(tree.tree.threads()));
        Ok(())
    })
}

/// Tells the number of objects in the tree, those that still wait for a place included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_len(tree: *const bl_octree, len: *mut usize) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        caller.room(len, "len")?.write(tree.tree.len());
        Ok(())
    })
}

/// Tells whether a handle names a living object of this tree: 1 if so, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_contains(tree: *const bl_octree, object: bl_handle, answer: *mut u32) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        let lives = Handle::from_bits(object).is_some_and(|handle| tree.tree.contains(handle));
        caller.room(answer, "answer")?.write(u32::from(lives));
        Ok(())
    })
}

/// Tells the object of a handle, as it was last set. The tree need not be up to date.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_get(
    tree: *const bl_octree,
    object: bl_handle,
    description: *mut bl_object,
) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        let place = caller.room(description, "description")?;
        place.write(tree.tree.get(handle("object", object)?).ok_or_else(|| stale(object))?.into());
        Ok(())
    })
}

/// Tells the user data of an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_user_data(
    tree: *const bl_octree,
    object: bl_handle,
    user_data: *mut u64,
) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        let place = caller.room(user_data, "user_data")?;
        place.write(tree.tree.get(handle("object", object)?).ok_or_else(|| stale(object))?.user_data);
        Ok(())
    })
}

/// Tells the shape of an object as the tree keeps it: larger than it was set where there is a margin.
/// The tree must be up to date.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_fat_shape(
    tree: *const bl_octree,
    object: bl_handle,
    shape: *mut bl_shape,
) -> bl_status {
    border!(|caller| {
        let view = caller.shared(tree, "tree")?.view()?;
        let place = caller.room(shape, "shape")?;
        place.write(view.fat_shape(handle("object", object)?).ok_or_else(|| stale(object))?.into());
        Ok(())
    })
}

/// Tells the smallest box around all objects that a cell can hold; unbounded
/// and far-away objects do not count. The tree must be up to date.
///
/// `answer`: 1 if there are such objects; else 0, and `bounds` is not written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_bounds(tree: *const bl_octree, bounds: *mut bl_aabb, answer: *mut u32) -> bl_status {
    border!(|caller| {
        let found = caller.shared(tree, "tree")?.view()?.bounds();
        let (place, answer) = (caller.room(bounds, "bounds")?, caller.room(answer, "answer")?);
        if let Some(found) = found {
            place.write(found.into());
        }
        answer.write(u32::from(found.is_some()));
        Ok(())
    })
}

/// Lists all objects, lowest slot first. The tree need not be up to date.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
/// Cost: linear in the most objects that there have been at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_objects(
    tree: *const bl_octree,
    found: *mut bl_entry,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        let list = caller.list(found, capacity, count)?;
        list.fill(tree.tree.iter().map(|(handle, object)| bl_entry { handle: handle.to_bits(), object: object.into() }))
    })
}

pub(crate) fn stale(bits: bl_handle) -> Failure {
    match Handle::from_bits(bits) {
        Some(handle) => Failure::Refused(broadleaf::Error::StaleHandle { handle }),
        None => Failure::BadHandle { name: "object", bits },
    }
}
