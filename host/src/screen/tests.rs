//! What a screen shows of what is printed.

use super::Screen;

fn shown(pieces: &[&[u8]]) -> String {
    let mut screen = Screen::new(6, 40);
    let mut text = Vec::new();
    for piece in pieces {
        screen.feed(piece);
        text.extend(screen.take());
    }
    text.extend(screen.end());
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn sequences_show_as_a_terminal_shows_them() {
    let cases: [(&str, &str); 32] = [
        ("plain", "plain"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m", "red and blue"),
        ("10%\r20%\r100%\r\n", "100%\n"),
        ("abc\x08\x08X", "aXc"),
        ("long line\rshort\x1b[K\r\n", "short\n"),
        ("a\tb\r\n", "a\tb\n"),
        ("a\tb\rx\r\n", "x       b\n"),
        ("one\r\ntwo\r\nthree\x1b[1A\r2nd\x1b[B!", "one\n2nd\nthr!e"),
        ("\x1b[2Jx", "x"),
        ("old\r\nlines\x1b[H\x1b[2Jnew", "new"),
        ("title\x1b]0;a title\x07!", "title!"),
        ("title\x1b]0;a title\x1b\\!", "title!"),
        ("link \x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\.", "link here."),
        ("\x1bP1;2|device\x1b\\after", "after"),
        ("before\x1b[?1049h\x1b[Hin vim\x1b[?1049lafter", "beforeafter"),
        ("\x1b[5Cfar", "     far"),
        ("abc\x1b[2D_", "a_c"),
        ("abc\x1b[1G_", "_bc"),
        ("abcdef\x1b[3G\x1b[2P", "abef"),
        ("abcdef\x1b[3G\x1b[2@", "ab  cdef"),
        ("abcdef\x1b[3G\x1b[2X", "ab  ef"),
        ("\x1b[sold\x1b[unew", "new"),
        ("\x1b7old\x1b8new", "new"),
        ("a\x1b[999Cz", "a                                      z"),
        ("日本\x1b[1D_", "日 _"),
        ("日本\r_", "_ 本"),
        ("e\u{301}x\r\n", "e\u{301}x\n"),
        ("a\x07b\x00c", "abc"),
        ("half\x1b[3", "half"),
        ("bad \x1b[9999999999999999mfine", "bad fine"),
        ("\x1b(B\x1b)0text\x1b=", "text"),
    ];
    for (printed, expected) in cases {
        assert_eq!(shown(&[printed.as_bytes()]), expected, "{printed:?}");
        // However it is cut into pieces.
        let bytes: Vec<&[u8]> = printed.as_bytes().chunks(1).collect();
        assert_eq!(shown(&bytes), expected, "{printed:?} byte by byte");
    }
}

#[test]
fn a_progress_display_of_several_lines_shows_its_last_state() {
    let mut printed = String::new();
    for percent in [0, 50, 100] {
        if percent > 0 {
            printed.push_str("\x1b[3A");
        }
        for layer in ["a", "b", "c"] {
            printed.push_str(&format!("\x1b[2K\rlayer {layer}: {percent}%\r\n"));
        }
    }
    assert_eq!(shown(&[printed.as_bytes()]), "layer a: 100%\nlayer b: 100%\nlayer c: 100%\n");
}

#[test]
fn nothing_is_lost_that_scrolls_away_and_nothing_is_wrapped() {
    let lines: String = (1..=10_000).map(|number| format!("{number}\r\n")).collect();
    let expected: String = (1..=10_000).map(|number| format!("{number}\n")).collect();
    for size in [1, 7, 4096, 1 << 20] {
        let pieces: Vec<&[u8]> = lines.as_bytes().chunks(size).collect();
        assert_eq!(shown(&pieces), expected, "in pieces of {size}");
    }
    let long = "x".repeat(1 << 20);
    assert_eq!(shown(&[long.as_bytes()]), long);
    let coloured = format!("\x1b[31m{}\x1b[0m\r\nend", "y".repeat(300_000));
    assert_eq!(shown(&[coloured.as_bytes()]), format!("{}\nend", "y".repeat(300_000)));
}

#[test]
fn invalid_bytes_stay_invalid_and_characters_may_come_in_pieces() {
    let mut screen = Screen::new(4, 40);
    screen.feed(b"a\xff\xfeb \xe6\x97");
    screen.feed(b"\xa5 \xf0\x9f\r\n");
    let end = screen.end();
    assert_eq!(String::from_utf8_lossy(&end), "a\u{FFFD}\u{FFFD}b 日 \u{FFFD}\n");
    assert!(std::str::from_utf8(&end).is_err(), "so that whoever reads it is told");
}

#[test]
fn lines_settle_only_while_nobody_goes_back() {
    let mut screen = Screen::new(10, 40);
    screen.feed(b"one\r\ntwo\r\nprompt> ");
    assert!(screen.unsettled() && screen.take().as_slice().is_empty());
    screen.settle();
    assert_eq!(screen.take().as_slice(), b"one\ntwo\n");
    assert_eq!(screen.view(), b"prompt> ");
    screen.feed(b"yes\r\nthree\r\n\x1b[1Afour\r\n");
    assert!(!screen.unsettled());
    // `four` over `three` leaves its last letter.
    assert_eq!(screen.end(), b"prompt> yes\nfoure\n");
}

#[test]
fn a_scrolling_region_keeps_its_foot_in_place() {
    // As apt does: lines scroll above a bar in the last line.
    let mut printed = String::from("\x1b[1;5r\x1b[6;1Hbar 1\x1b[1;1H");
    for number in 1..=8 {
        printed.push_str(&format!("line {number}\r\n"));
    }
    printed.push_str("\x1b[6;1Hbar 2");
    let text = shown(&[printed.as_bytes()]);
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    let mut expected: Vec<_> = (1..=8).map(|number| format!("line {number}")).collect();
    expected.push("bar 2".to_owned());
    assert_eq!(lines, expected);
}

#[test]
fn any_bytes_are_taken() {
    let mut dice = crate::process::Dice::new(7);
    for _ in 0..2000 {
        let mut screen = Screen::new(1 + dice.below(5) as u16, 1 + dice.below(20) as u16);
        for _ in 0..dice.below(60) {
            const PIECES: [&[u8]; 24] = [
                b"text",
                b"\x1b[",
                b"1",
                b";",
                b"99",
                b"A",
                b"B",
                b"L",
                b"M",
                b"H",
                b"J",
                b"\r\n",
                b"\n",
                b"\x1b[?1049h",
                b"\x1b[?1049l",
                b"\xe6",
                b"\xa5\xff",
                "\u{1F980}".as_bytes(),
                b"\t",
                b"\x08",
                b"r",
                b"\x1bM",
                b"S",
                b"\x1b]",
            ];
            screen.feed(PIECES[dice.below(PIECES.len())]);
        }
        screen.view();
        screen.settle();
        screen.end();
    }
}
