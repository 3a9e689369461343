//! What completed jobs have left running in the background, remembered for the host's end.

use std::borrow::Borrow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::process::{Tree, retain_living};

/// How many trees are remembered before those with nobody left are looked for and forgotten.
const ENOUGH: usize = 256;

/// The trees of completed jobs. Most have nobody left, which is only looked up now and then.
#[derive(Debug, Default)]
pub(crate) struct Leftovers(Mutex<Inner>);

/// The tree of a completed job.
#[derive(Debug)]
struct Left {
    session: String,
    tree: Tree,
}

impl Borrow<Tree> for Left {
    fn borrow(&self) -> &Tree {
        &self.tree
    }
}

#[derive(Debug, Default)]
struct Inner {
    trees: Vec<Left>,
    /// How many lived at the last look.
    lived: usize,
}

impl Leftovers {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the tree of a job that has completed.
    pub(crate) fn add(&self, session: &str, tree: Tree) {
        let mut inner = self.lock();
        inner.trees.push(Left { session: session.to_owned(), tree });
        // Each look doubles the room for those that live, so that looking stays rare whatever their number.
        if inner.trees.len() > ENOUGH.max(inner.lived * 2) {
            inner.look();
        }
    }

    /// Kills them all, and gives the numbers of those that would not go. Blocks while it does.
    pub(crate) fn kill(&self) -> Vec<i32> {
        self.kill_those(|_| true)
    }

    /// Kills those of one session, and gives the numbers of those that would not go. Blocks while it does.
    pub(crate) fn kill_session(&self, session: &str) -> Vec<i32> {
        self.kill_those(|left| left.session == session)
    }

    fn kill_those(&self, doomed: impl Fn(&Left) -> bool) -> Vec<i32> {
        let doomed: Vec<_> = {
            let mut inner = self.lock();
            inner.look();
            inner.trees.extract_if(.., |left| doomed(left)).collect()
        };
        doomed.iter().flat_map(|left| left.tree.kill_now().left).collect()
    }
}

impl Inner {
    fn look(&mut self) {
        if let Err(error) = retain_living(&mut self.trees) {
            tracing::warn!(%error, "cannot tell which background processes are left");
        }
        self.lived = self.trees.len();
    }
}
