//! The ceiling of running jobs and the lines in front of it.
//!
//! One lock holds both, so that a place is never given twice. Whoever gives a place back serves those who wait: the
//! oldest first, and within a lane strictly in order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Counts running jobs and holds those that wait. Cloning gives another handle on the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ceiling(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    running: u32,
    /// How many run in each lane that has any.
    lanes: BTreeMap<String, u32>,
    waiting: VecDeque<Waiting>,
    tickets: u64,
    /// Set when the host shuts down: nobody's turn comes any more.
    closed: bool,
}

/// One who waits in line.
#[derive(Debug)]
struct Waiting {
    ticket: u64,
    order: Order,
    /// Whether it could run at once; until then it keeps those behind it in its lane waiting.
    ready: bool,
    turn: oneshot::Sender<Slot>,
}

/// What a queued job waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// The line, and how many of it may run at once.
    pub lane: Option<(String, u32)>,
    /// The ceiling that holds for it.
    pub at_most: u32,
}

/// A place under the ceiling and in its lane, given back when dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    ceiling: Ceiling,
    lane: Option<String>,
}

/// A place in line, given up when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    ceiling: Ceiling,
    ticket: u64,
    turn: oneshot::Receiver<Slot>,
}

impl Ceiling {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place at once if fewer than `most` are taken.
    pub(crate) fn take(&self, most: u32) -> Option<Slot> {
        let mut inner = self.lock();
        if inner.closed || inner.running >= most {
            return None;
        }
        inner.running += 1;
        Some(Slot { ceiling: self.clone(), lane: None })
    }

    /// Gets in line. Who is not `ready` keeps its place until it says so.
    pub(crate) fn queue(&self, order: Order, ready: bool) -> Place {
        let (sender, turn) = oneshot::channel();
        let ticket = {
            let mut inner = self.lock();
            inner.tickets += 1;
            let ticket = inner.tickets;
            inner.waiting.push_back(Waiting { ticket, order, ready, turn: sender });
            ticket
        };
        self.serve();
        Place { ceiling: self.clone(), ticket, turn }
    }

    /// Lets nobody in any more, as the host shuts down.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
    }

    /// Gives every turn that has come.
    fn serve(&self) {
        // A turn that nobody takes gives its place back, which takes the lock: all are sent after it is let go.
        let turns = self.lock().turns(self);
        for (sender, slot) in turns {
            let _ = sender.send(slot);
        }
    }

    /// How many places are taken.
    #[cfg(test)]
    fn taken(&self) -> u32 {
        self.lock().running
    }
}

impl Inner {
    fn turns(&mut self, ceiling: &Ceiling) -> Vec<(oneshot::Sender<Slot>, Slot)> {
        let mut turns = Vec::new();
        let mut blocked = Vec::new();
        let mut index = 0;
        while let Some(waiting) = self.waiting.get(index).filter(|_| !self.closed) {
            let Order { lane, at_most } = waiting.order.clone();
            let name = lane.as_ref().map(|(name, _)| name.clone());
            let running = |name: &String| self.lanes.get(name).copied().unwrap_or(0);
            let lane_full = lane.as_ref().is_some_and(|(name, width)| running(name) >= *width);
            if !waiting.ready || lane_full || name.as_ref().is_some_and(|name| blocked.contains(name)) {
                blocked.extend(name);
                index += 1;
                continue;
            }
            // Under a ceiling nobody passes another, or one with a low ceiling would wait for ever.
            if self.running >= at_most {
                break;
            }
            let Some(waiting) = self.waiting.remove(index) else { break };
            self.running += 1;
            if let Some(name) = &name {
                *self.lanes.entry(name.clone()).or_default() += 1;
            }
            turns.push((waiting.turn, Slot { ceiling: ceiling.clone(), lane: name }));
        }
        turns
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        {
            let mut inner = self.ceiling.lock();
            inner.running -= 1;
            if let Some(name) = &self.lane
                && let Some(running) = inner.lanes.get_mut(name)
            {
                *running -= 1;
                if *running == 0 {
                    inner.lanes.remove(name);
                }
            }
        }
        self.ceiling.serve();
    }
}

impl Place {
    /// Says that it can run as soon as its turn comes.
    pub(crate) fn ready(&self) {
        for waiting in &mut self.ceiling.lock().waiting {
            waiting.ready |= waiting.ticket == self.ticket;
        }
        self.ceiling.serve();
    }

    /// Waits for its turn; never ends where the host shuts down first. Dropping the future loses nothing.
    pub(crate) async fn turn(&mut self) -> Slot {
        match (&mut self.turn).await {
            Ok(slot) => slot,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Place {
    /// Gives up the place; a turn that came at the same time is given back.
    fn drop(&mut self) {
        self.ceiling.lock().waiting.retain(|waiting| waiting.ticket != self.ticket);
        self.turn.close();
        drop(self.turn.try_recv());
        self.ceiling.serve();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(lane: &str, width: u32, at_most: u32) -> Order {
        Order { lane: Some((lane.to_owned(), width)), at_most }
    }

    fn has_turn(place: &mut Place) -> Option<Slot> {
        place.turn.try_recv().ok()
    }

    #[test]
    fn many_takers_never_pass_it() {
        let ceiling = Ceiling::default();
        let held: Vec<_> = std::thread::scope(|scope| {
            let takers: Vec<_> = (0..200).map(|_| scope.spawn(|| ceiling.take(10))).collect();
            takers.into_iter().filter_map(|taker| taker.join().unwrap()).collect()
        });
        assert_eq!(held.len(), 10);
        assert_eq!(ceiling.taken(), 10);
        drop(held);
        assert_eq!(ceiling.taken(), 0);
    }

    #[test]
    fn a_lane_is_served_in_order_and_others_beside_it() {
        let ceiling = Ceiling::default();
        let mut first = ceiling.queue(order("a", 1, 10), true);
        let mut second = ceiling.queue(order("a", 1, 10), true);
        let mut third = ceiling.queue(order("a", 1, 10), true);
        let mut other = ceiling.queue(order("b", 1, 10), true);
        let running = has_turn(&mut first).unwrap();
        assert!(has_turn(&mut second).is_none() && has_turn(&mut third).is_none());
        let beside = has_turn(&mut other).unwrap();
        // One that is killed while it waits never has its turn.
        drop(second);
        assert!(has_turn(&mut third).is_none());
        drop(running);
        let last = has_turn(&mut third).unwrap();
        assert_eq!(ceiling.taken(), 2);
        drop((beside, last));
        assert_eq!(ceiling.taken(), 0);
    }

    #[test]
    fn a_lane_may_be_wide_and_the_ceiling_holds_over_all() {
        let ceiling = Ceiling::default();
        let mut places: Vec<_> = (0..4).map(|_| ceiling.queue(order("a", 3, 2), true)).collect();
        let mut slots: Vec<_> = places.iter_mut().filter_map(has_turn).collect();
        assert_eq!(slots.len(), 2, "the ceiling is lower than the lane is wide");
        for waiting in &mut places[2..] {
            slots.pop();
            slots.push(has_turn(waiting).unwrap());
        }
        assert_eq!(ceiling.taken(), 2);
    }

    #[test]
    fn a_turn_given_to_one_who_has_left_goes_to_the_next() {
        let ceiling = Ceiling::default();
        let first = ceiling.queue(order("a", 1, 10), true);
        let mut second = ceiling.queue(order("a", 1, 10), true);
        // Its turn has come and it does not know yet.
        drop(first);
        assert!(has_turn(&mut second).is_some());
    }

    #[test]
    fn who_is_not_ready_keeps_its_lane_waiting_and_no_other() {
        let ceiling = Ceiling::default();
        let mut recovered = ceiling.queue(order("a", 1, 10), false);
        let mut later = ceiling.queue(order("a", 1, 10), true);
        let mut other = ceiling.queue(order("b", 1, 10), true);
        assert!(has_turn(&mut other).is_some() && has_turn(&mut later).is_none());
        recovered.ready();
        let running = has_turn(&mut recovered).unwrap();
        assert!(has_turn(&mut later).is_none());
        ceiling.close();
        drop(running);
        assert!(has_turn(&mut later).is_none(), "nobody's turn comes in a host that shuts down");
    }
}
