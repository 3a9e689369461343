//! Windows over bytes: tables for the edges, a model for everything else.

use super::*;
use crate::process::tests::Dice;

fn kept(all: &[u8], head: usize, tail: usize) -> Kept<'_> {
    let head = &all[..head.min(all.len())];
    let rest = &all[head.len()..];
    let tail = &rest[rest.len() - tail.min(rest.len())..];
    let middle = tail.len() / 2;
    Kept { head, gap: (rest.len() - tail.len()) as u64, tail: (&tail[..middle], &tail[middle..]) }
}

fn text(all: &[u8], head: usize, tail: usize, window: Window, ended: bool) -> Text {
    Excerpt::copy(kept(all, head, tail), &[], window, all.len() as u64, ended).decode()
}

#[test]
fn text_without_a_gap_is_whole_wherever_head_and_tail_meet() {
    let all = "naïve → 日本語 🦀 end".as_bytes();
    for head in 0..=all.len() {
        let shown = text(all, head, all.len() - head, Window::All, true);
        assert_eq!(shown.text.as_bytes(), all);
        assert_eq!((shown.dropped_bytes, shown.pending_bytes, shown.invalid), (0, 0, false));
    }
}

#[test]
fn a_gap_never_splits_a_character() {
    let all = "日本語🦀".repeat(20);
    for head in 0..40 {
        for tail in 0..40 {
            let shown = text(all.as_bytes(), head, tail, Window::All, true);
            assert!(!shown.invalid, "head {head} tail {tail}: {shown:?}");
            assert!(all.starts_with(shown.head()) && all.ends_with(shown.tail()));
            assert!(shown.head().len() + 3 >= head && shown.tail().len() + 3 >= tail);
            assert_eq!(shown.dropped_bytes, (all.len() - shown.text.len()) as u64);
        }
    }
}

#[test]
fn an_incomplete_character_waits_while_the_stream_runs() {
    let crab = "🦀".as_bytes();
    for length in 1..4 {
        let bytes = [b"ok ", &crab[..length]].concat();
        for window in [Window::All, Window::Tail(100), Window::Head(100)] {
            let running = text(&bytes, 100, 100, window, false);
            assert_eq!((running.text.as_str(), running.pending_bytes), ("ok ", length as u64));
            assert!(!running.invalid && running.dropped_bytes == 0);
            let ended = text(&bytes, 100, 100, window, true);
            assert_eq!((ended.text.as_str(), ended.pending_bytes), ("ok \u{FFFD}", 0));
            assert!(ended.invalid && ended.dropped_bytes == 0);
        }
    }
}

#[test]
fn invalid_bytes_are_shown_as_replacement_characters() {
    let cases: [(&[u8], &str); 5] = [
        (b"a\xFFb", "a\u{FFFD}b"),
        (b"\xE6\x97x", "\u{FFFD}x"),
        (b"\xED\xA0\x80", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\x80\x80", "\u{FFFD}\u{FFFD}"),
        (b"nul\0 stays", "nul\0 stays"),
    ];
    for (bytes, expected) in cases {
        let shown = text(bytes, 100, 100, Window::All, false);
        assert_eq!(shown.text, expected);
        assert_eq!(shown.invalid, expected.contains('\u{FFFD}'));
    }
}

#[test]
fn a_head_window_counts_characters() {
    let all = "日本語🦀abc".as_bytes();
    let cases = [(0, ""), (1, "日"), (4, "日本語🦀"), (5, "日本語🦀a"), (7, "日本語🦀abc"), (99, "日本語🦀abc")];
    for (characters, expected) in cases {
        let shown = text(all, 100, 100, Window::Head(characters), true);
        assert_eq!(shown.text, expected);
        assert_eq!(shown.dropped_bytes, (all.len() - expected.len()) as u64);
        assert_eq!(shown.dropped_at, expected.len());
    }
    let shown = text(b"\xFF\xFFabc", 100, 100, Window::Head(3), true);
    assert_eq!((shown.text.as_str(), shown.dropped_bytes), ("\u{FFFD}\u{FFFD}a", 2));
}

#[test]
fn a_tail_window_starts_at_a_character() {
    let all = "日本語🦀abc".as_bytes();
    let cases = [(0, ""), (3, "abc"), (4, "abc"), (6, "abc"), (7, "🦀abc"), (9, "🦀abc"), (99, "日本語🦀abc")];
    for (bytes, expected) in cases {
        let shown = text(all, 100, 100, Window::Tail(bytes), true);
        assert_eq!(shown.text, expected, "{bytes}");
        assert_eq!((shown.dropped_at, shown.dropped_bytes), (0, (all.len() - expected.len()) as u64));
    }
}

#[test]
fn a_tail_window_does_not_reach_across_the_gap() {
    let all = [b'x'; 100];
    let shown = text(&all, 10, 20, Window::Tail(50), true);
    assert_eq!((shown.text.len(), shown.dropped_bytes), (20, 80));
    let shown = text(&all, 10, 20, Window::Head(50), true);
    assert_eq!((shown.text.len(), shown.dropped_bytes), (10, 90));
}

#[test]
fn counts_add_up_for_any_bytes() {
    let alphabet: [&[u8]; 8] =
        [b"a", b"\n", "é".as_bytes(), "日".as_bytes(), "🦀".as_bytes(), b"\xFF", b"\x80", b"\xF0\x9F"];
    let mut dice = Dice::new(3);
    for _ in 0..20_000 {
        let count = dice.below(30);
        let all: Vec<u8> = (0..count).flat_map(|_| alphabet[dice.below(8)].to_vec()).collect();
        let (head, tail, ended) = (dice.below(20), dice.below(20), dice.below(2) == 0);
        let window = match dice.below(3) {
            0 => Window::All,
            1 => Window::Head(dice.below(12)),
            _ => Window::Tail(dice.below(24)),
        };
        let shown = text(&all, head, tail, window, ended);
        assert_eq!(shown.total_bytes, all.len() as u64);
        assert!(shown.pending_bytes <= 3 && (shown.pending_bytes == 0 || !ended));
        assert_eq!(shown.text.contains('\u{FFFD}'), shown.invalid);
        let fits = head + tail >= all.len();
        if fits && window == Window::All && ended {
            assert_eq!(shown.text, String::from_utf8_lossy(&all));
            assert_eq!(shown.dropped_bytes, 0);
        }
        if !shown.invalid {
            let shown_bytes = shown.text.len() as u64;
            assert_eq!(shown_bytes + shown.dropped_bytes + shown.pending_bytes, shown.total_bytes);
        }
        if let Window::Head(characters) = window {
            assert!(shown.text.chars().count() <= characters);
        }
    }
}
