//! Which of many trees still have somebody alive, in one look at the process table.

use std::borrow::Borrow;
use std::io;

use super::{LimitMark, Tree, mark, survey};

/// Drops the trees of which nothing is left.
///
/// # Errors
/// Fails, and drops none, where the process table cannot be read.
pub fn retain_living<T: Borrow<Tree>>(trees: &mut Vec<T>) -> io::Result<()> {
    let limits: Vec<u64> =
        survey::numbers()?.filter_map(mark::hard_limit).filter(|limit| mark::is_ours(*limit)).collect();
    trees.retain(|tree| match tree.borrow().0.marks.limit {
        Some(limit) => limits.iter().any(|found| LimitMark::covers(limit, *found)),
        // Without a mark only a full look tells; where it fails, nothing is given up.
        None => tree.borrow().living().map_or(true, |living| !living.is_empty()),
    });
    Ok(())
}
