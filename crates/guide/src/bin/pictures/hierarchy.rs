//! The nodes of a tree with their children.

use broadleaf::View;
use broadleaf::inspect::NodeInfo;
use std::ops::ControlFlow;

/// A node, and the places of its children in the list of all nodes.
pub(crate) struct Node {
    pub(crate) info: NodeInfo,
    pub(crate) children: Vec<usize>,
}

/// All nodes, the root first. `visit_nodes` visits parents before children, so depth tells who belongs to whom.
pub(crate) fn hierarchy(view: View<'_>) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    view.visit_nodes(|info| {
        path.truncate(info.depth as usize);
        let place = nodes.len();
        if let Some(&parent) = path.last() {
            nodes[parent].children.push(place);
        }
        path.push(place);
        nodes.push(Node { info, children: Vec::new() });
        ControlFlow::Continue(())
    });
    nodes
}
