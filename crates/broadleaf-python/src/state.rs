//! The tree behind its Python objects, and the locks about it.
//!
//! Questions read it side by side, changes are alone. No lock is waited for with
//! the interpreter lock held, and no code of the caller's runs under one.

use crate::refusal::{Checked, Refusal};
use broadleaf::{Octree, Pair, Scratch, View};
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A tree, shared by its `Octree` and the views of it.
pub(crate) struct Shared {
    state: RwLock<State>,
    work: Mutex<Work>,
}

pub(crate) struct State {
    pub(crate) tree: Octree,
    /// Raised by every change: a view of an older version is stale.
    pub(crate) version: u64,
}

/// Working memory of the pair pass, kept between frames.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) scratch: Scratch,
    pub(crate) pairs: Vec<Pair>,
}

fn torn<T>(_: T) -> Refusal {
    Refusal::Broken("an earlier call ended within a change: the tree cannot be used any more".to_owned())
}

impl Shared {
    pub(crate) fn new(tree: Octree) -> Self {
        Self { state: RwLock::new(State { tree, version: 0 }), work: Mutex::default() }
    }

    pub(crate) fn read(&self) -> Checked<RwLockReadGuard<'_, State>> {
        self.state.read().map_err(torn)
    }

    pub(crate) fn write(&self) -> Checked<RwLockWriteGuard<'_, State>> {
        self.state.write().map_err(torn)
    }

    /// Changes the tree; views become stale, unless the change is refused.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Octree) -> Checked<T>) -> Checked<T> {
        let mut state = self.write()?;
        let changed = change(&mut state.tree)?;
        state.version += 1;
        Ok(changed)
    }

    /// Asks a view of this version.
    pub(crate) fn ask<T>(&self, version: u64, ask: impl FnOnce(View<'_>) -> Checked<T>) -> Checked<T> {
        let state = self.read()?;
        let view = state.tree.try_view().filter(|_| state.version == version);
        ask(view.ok_or(Refusal::StaleView)?)
    }

    /// Runs with the kept working memory, or with new one while another thread has it.
    pub(crate) fn with_work<T>(&self, run: impl FnOnce(&mut Work) -> T) -> T {
        match self.work.try_lock() {
            Ok(mut work) => run(&mut work),
            Err(_) => run(&mut Work::default()),
        }
    }
}

/// A lock of a tracker or a budget.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> Checked<MutexGuard<'_, T>> {
    mutex.lock().map_err(torn)
}
