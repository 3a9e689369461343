//! The ring against a model that simply keeps everything.

use super::*;
use crate::process::tests::Dice;

/// Puts `bytes` in as reads of the given sizes would.
fn feed(ring: &mut Ring, mut bytes: &[u8], dice: &mut Dice) {
    while !bytes.is_empty() {
        let (first, second) = ring.room();
        let room = first.len() + second.len();
        assert!(room > 0 && room <= READ_SIZE, "room of {room}");
        // What is in the room beyond the committed bytes must not matter, unless it is old data.
        let count = bytes.len().min(room).min(1 + dice.below(room));
        let split = count.min(first.len());
        first[..split].copy_from_slice(&bytes[..split]);
        second[..count - split].copy_from_slice(&bytes[split..count]);
        let (first, second) = ring.commit(count);
        assert_eq!([first, second].concat(), &bytes[..count]);
        bytes = &bytes[count..];
    }
}

fn check(ring: &Ring, all: &[u8], limits: CaptureLimits) {
    let head = &all[..all.len().min(limits.head)];
    let rest = &all[head.len()..];
    let tail = &rest[rest.len() - rest.len().min(limits.tail)..];
    let kept = ring.kept();
    assert_eq!(ring.total(), all.len() as u64);
    assert!(kept.head == head, "head of {limits:?} after {}", all.len());
    assert!([kept.tail.0, kept.tail.1].concat() == tail, "tail of {limits:?} after {}", all.len());
    assert_eq!(kept.gap, (rest.len() - tail.len()) as u64);
}

#[test]
fn the_ring_keeps_what_a_naive_model_keeps() {
    let sizes = [0, 1, 7, 4095, 4096, 5000, 65535, 65536, 65537, 200_000];
    let mut dice = Dice::new(1);
    for head in sizes {
        for tail in sizes {
            let limits = CaptureLimits { head, tail };
            let mut ring = Ring::new(limits);
            let mut all = Vec::new();
            for _ in 0..12 {
                let length = dice.below(80_000);
                let piece: Vec<u8> = (0..length).map(|_| dice.below(256) as u8).collect();
                feed(&mut ring, &piece, &mut dice);
                all.extend_from_slice(&piece);
                check(&ring, &all, limits);
            }
            ring.settle();
            check(&ring, &all, limits);
        }
    }
}

#[test]
fn single_bytes_at_every_boundary_are_counted() {
    let limits = CaptureLimits { head: 3, tail: 4 };
    let mut ring = Ring::new(limits);
    let mut all = Vec::new();
    for byte in 0..40 {
        let (first, _) = ring.room();
        first[0] = byte;
        ring.commit(1);
        all.push(byte);
        check(&ring, &all, limits);
    }
}

#[test]
fn a_silent_stream_owns_no_memory_and_a_short_one_little() {
    let mut ring = Ring::new(CaptureLimits { head: 1 << 20, tail: 1 << 20 });
    assert_eq!(ring.head.capacity() + ring.tail.capacity(), 0);
    ring.room();
    ring.commit(10);
    assert!(ring.head.capacity() + ring.tail.capacity() <= FIRST_ROOM);
    ring.settle();
    assert!(ring.head.capacity() <= 64 && ring.tail.capacity() == 0);
}

#[test]
fn a_settled_ring_is_no_larger_than_what_it_keeps() {
    let limits = CaptureLimits { head: 100, tail: 300 };
    let mut ring = Ring::new(limits);
    let all: Vec<u8> = (0..500_000u32).map(|number| number as u8).collect();
    feed(&mut ring, &all, &mut Dice::new(2));
    ring.settle();
    assert_eq!(ring.head.capacity() + ring.tail.capacity(), 400);
    check(&ring, &all, limits);
}
