//! Chooses the eight children of each node.
//!
//! A cell of at most eight leaves becomes one node. Of the larger cells below
//! a node, the one with the largest surface is opened, until there are eight
//! children; lanes that are left take in the leaves of small cells that fit.

use super::boxes::Item;
use super::cells::{Cells, is_small};
use super::tasks;
use crate::data::Threads;
use crate::geometry::lanes::WIDTH;
use crate::mesh::columns::{ChildLink, Node};
use alloc::vec::Vec;
use arrayvec::ArrayVec;

/// A node that is left to a task: which lane of which node leads to its cell.
struct DeferredNode {
    node: usize,
    lane: usize,
    cell: Item,
}

/// Tasks that nodes are made in, at about equal numbers of leaves.
const TASKS: u32 = 32;
/// Leaves below which a node is not worth a task.
const TASK_MIN: u32 = 256;

/// The nodes at the top, and then those of each task.
pub(super) fn nodes(cells: &Cells, root: Item, threads: Threads) -> Vec<Node> {
    let grain = (root.count() / TASKS).max(TASK_MIN);
    // Hardly ever has a mesh more nodes than a third of its leaves.
    let (mut nodes, mut rests) = (Vec::with_capacity(cells.starts.len() / 3 + 1), Vec::new());
    add_node(cells, &mut nodes, root, grain, &mut rests);
    if !tasks::run_at_once(threads) {
        for rest in rests {
            let link = add_node(cells, &mut nodes, rest.cell, 0, &mut Vec::new());
            nodes[rest.node].links[rest.lane] = link;
        }
        return nodes;
    }
    let lanes: Vec<(usize, usize)> = rests.iter().map(|rest| (rest.node, rest.lane)).collect();
    let parts = tasks::map(threads, rests, |rest| {
        let mut nodes = Vec::new();
        add_node(cells, &mut nodes, rest.cell, 0, &mut Vec::new());
        nodes
    });
    nodes.reserve_exact(parts.iter().map(Vec::len).sum());
    for ((node, lane), part) in lanes.into_iter().zip(parts) {
        let before = nodes.len();
        nodes[node].links[lane] = ChildLink::node(before);
        nodes.extend(part.into_iter().map(|mut node| {
            node.links = node.links.map(|link| link.moved(before, 0));
            node
        }));
    }
    nodes
}

/// Adds a node and everything below it, but for cells of at most `grain`
/// leaves: they become rests. Recursion is as deep as the mesh.
fn add_node(cells: &Cells, nodes: &mut Vec<Node>, cell: Item, grain: u32, rests: &mut Vec<DeferredNode>) -> ChildLink {
    let id = nodes.len();
    nodes.push(Node::EMPTY);
    let children = children(cells, cell);
    for (lane, child) in children.iter().enumerate() {
        nodes[id].bounds.set(lane, &child.span().aabb());
    }
    for (lane, &cell) in children.iter().enumerate() {
        nodes[id].links[lane] = if cell.count() == 1 {
            ChildLink(cell.id())
        } else if cell.count() <= grain {
            rests.push(DeferredNode { node: id, lane, cell });
            ChildLink::NONE
        } else {
            add_node(cells, nodes, cell, grain, rests)
        };
    }
    ChildLink::node(id)
}

/// The children of the node that a cell becomes.
fn children(cells: &Cells, cell: Item) -> ArrayVec<Item, WIDTH> {
    let mut children = ArrayVec::<Item, WIDTH>::new();
    if is_small(&cell) {
        children.extend(cells.leaves(&cell));
        return children;
    }
    // How much is won by opening each.
    let mut gains = [0.0_f32; WIDTH];
    let gain = |cell: &Item| if is_small(cell) { -1.0 } else { cell.span().area() };
    gains[0] = gain(&cell);
    children.push(cell);
    while !children.is_full() {
        let mut at = 0;
        for other in 1..children.len() {
            if gains[other] > gains[at] {
                at = other;
            }
        }
        let Some(&[first, second]) = cells.parts(&children[at]).filter(|_| gains[at] >= 0.0) else { break };
        gains[at] = gain(&first);
        gains[children.len()] = gain(&second);
        children[at] = first;
        children.push(second);
    }
    take_in(cells, &mut children);
    children
}

/// Puts the leaves of small cells into lanes that are left, the largest cells first.
fn take_in(cells: &Cells, children: &mut ArrayVec<Item, WIDTH>) {
    loop {
        let free = WIDTH - children.len();
        let fits = |cell: &Item| is_small(cell) && (2..=free + 1).contains(&(cell.count() as usize));
        let fitting = (0..children.len()).filter(|&at| fits(&children[at]));
        let area = |at: usize| children[at].span().area();
        let Some(at) = fitting.reduce(|best, at| if area(at) > area(best) { at } else { best }) else { return };
        let cell = children.swap_remove(at);
        children.extend(cells.leaves(&cell));
    }
}
