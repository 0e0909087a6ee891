//! What a tree says of itself: counters, memory, nodes, invariants, hash, snapshots.

use crate::border::{Caller, border};
use crate::failure::{Failure, bl_status};
use crate::octree::bl_octree;
use crate::scratch::bl_scratch;
use crate::types::bl_aabb;
use broadleaf::Octree;
use std::ops::ControlFlow;

/// Bytes allocated by a tree, by what for.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct bl_memory {
    /// Nodes and their free list.
    pub nodes: usize,
    /// Blocks of eight objects.
    pub blocks: usize,
    /// Handles, filters, user data, and the log of changes for trackers.
    pub objects: usize,
    /// Working memory, which `bl_octree_shrink_to_fit` frees.
    pub scratch: usize,
}

/// What a tree has done since it was made, and how it stands.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct bl_counters {
    /// Nodes in use.
    pub nodes_live: usize,
    /// Nodes on the free list.
    pub nodes_free: usize,
    /// Times that a freed node was used again.
    pub nodes_reused: u64,
    /// The most nodes that were in use at once.
    pub nodes_peak: usize,
    /// Blocks in use.
    pub blocks_live: usize,
    /// Blocks on the free list.
    pub blocks_free: usize,
    /// Times that a freed block was used again.
    pub blocks_reused: u64,
    /// The most blocks that were in use at once.
    pub blocks_peak: usize,
    /// Objects that no cell can hold, as of the last flush: unbounded, or too
    /// far out. Every question tests each of them.
    pub outsized: usize,
    /// Bulk builds, asked for or chosen.
    pub rebuilds: u64,
    /// Objects placed one by one.
    pub placements: u64,
    /// Objects placed anew because they left their cell.
    pub relocations: u64,
    /// Buckets split into octants.
    pub splits: u64,
    /// Branches, or neighbouring buckets, joined into a bucket.
    pub merges: u64,
    /// Nodes fitted to what changed in or below them.
    pub refits: u64,
    /// Buckets whose runs were arranged anew.
    pub reruns: u64,
    /// Times that a root was put above the root.
    pub growths: u64,
}

/// A node of a tree, for drawing and for tuning.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_node {
    /// The box that decides placement.
    pub cell: bl_aabb,
    /// Fitted bounds of the contents; may reach beyond the cell.
    pub bounds: bl_aabb,
    /// Levels below the root.
    pub depth: u32,
    /// Objects that the node holds itself.
    pub objects: u32,
    /// Blocks of eight that they are kept in.
    pub blocks: u32,
    /// Objects in and below the node.
    pub objects_below: u32,
    /// Nodes right below.
    pub children: u32,
    /// 1 if anything in or below the node has changed since pair events were last taken, else 0.
    pub changed: u32,
    /// 1 if the node has no child nodes, else 0.
    pub leaf: u32,
}

/// Tells the bytes allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_memory(tree: *const bl_octree, memory: *mut bl_memory) -> bl_status {
    border!(|caller| {
        let used = caller.shared(tree, "tree")?.tree.memory();
        let (nodes, blocks, objects, scratch) = (used.nodes, used.blocks, used.objects, used.scratch);
        caller.room(memory, "memory")?.write(bl_memory { nodes, blocks, objects, scratch });
        Ok(())
    })
}

/// Tells what the tree has done, and how it stands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_counters(tree: *const bl_octree, counters: *mut bl_counters) -> bl_status {
    border!(|caller| {
        let counted = caller.shared(tree, "tree")?.tree.counters();
        caller.room(counters, "counters")?.write(bl_counters {
            nodes_live: counted.nodes_live,
            nodes_free: counted.nodes_free,
            nodes_reused: counted.nodes_reused,
            nodes_peak: counted.nodes_peak,
            blocks_live: counted.blocks_live,
            blocks_free: counted.blocks_free,
            blocks_reused: counted.blocks_reused,
            blocks_peak: counted.blocks_peak,
            outsized: counted.outsized,
            rebuilds: counted.rebuilds,
            placements: counted.placements,
            relocations: counted.relocations,
            splits: counted.splits,
            merges: counted.merges,
            refits: counted.refits,
            reruns: counted.reruns,
            growths: counted.growths,
        });
        Ok(())
    })
}

/// Lists every node, parents before children. The tree must be up to date.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nodes(
    tree: *const bl_octree,
    found: *mut bl_node,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let view = caller.shared(tree, "tree")?.view()?;
        let mut list = caller.list(found, capacity, count)?;
        view.visit_nodes(|node| {
            list.push(bl_node {
                cell: node.cell.into(),
                bounds: node.bounds.into(),
                depth: node.depth,
                objects: node.objects,
                blocks: node.blocks,
                objects_below: node.objects_below,
                children: node.children,
                changed: u32::from(node.changed),
                leaf: u32::from(node.leaf),
            });
            ControlFlow::Continue(())
        });
        list.finish()
    })
}

/// Checks every invariant of the tree; for tests.
///
/// Errors: `BL_STATUS_BROKEN` names the first broken one: a bug of the library.
/// Cost: visits everything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_validate(tree: *const bl_octree) -> bl_status {
    border!(|caller| Ok(caller.shared(tree, "tree")?.tree.validate()?))
}

/// Tells a hash of the tree's state. Equal sequences of calls give equal
/// hashes, on any machine, for any number of threads. Flushes and trackers
/// may change it, so compare hashes of the same point of a frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_state_hash(tree: *const bl_octree, hash: *mut u64) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        caller.room(hash, "hash")?.write(tree.tree.state_hash());
        Ok(())
    })
}

/// Saves a tree as bytes, with all that decides what it does next.
///
/// `scratch`: working memory. `bytes`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_save(
    tree: *const bl_octree,
    scratch: *mut bl_scratch,
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let tree = caller.shared(tree, "tree")?;
        write_bytes(caller, scratch, (bytes, capacity, count), |saved| tree.tree.snapshot_into(saved))
    })
}

/// Makes the tree that was saved; it goes on bit for bit like the original. Free it with `bl_octree_free`.
///
/// Errors: `BL_STATUS_BAD_SNAPSHOT`. Bytes of any origin may be given: nothing is used before it is checked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_load(bytes: *const u8, count: usize, tree: *mut *mut bl_octree) -> bl_status {
    border!(|caller| {
        let bytes = caller.slice(bytes, count, "bytes")?;
        let place = caller.room(tree, "tree")?;
        caller.give(place, bl_octree::new(Octree::from_snapshot(bytes)?));
        Ok(())
    })
}

/// Fills bytes of the caller's with what `save` writes.
pub(crate) fn write_bytes(
    caller: &Caller,
    scratch: *mut bl_scratch,
    (bytes, capacity, count): (*mut u8, usize, *mut usize),
    save: impl FnOnce(&mut Vec<u8>),
) -> Result<(), Failure> {
    let scratch = caller.exclusive(scratch, "scratch")?;
    let list = caller.list(bytes, capacity, count)?;
    save(&mut scratch.bytes);
    list.fill(scratch.bytes.iter().copied())
}
