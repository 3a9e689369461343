//! Keys: their names, what they send to a terminal, and what they do to a line that is being typed.

/// One thing that is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Characters that stand in the line as they are.
    Text(String),
    /// The end of a line.
    Enter,
    /// A tabulator, or a completion.
    Tab,
    /// Takes back the last character.
    Backspace,
    /// Ctrl-U: takes back the line.
    KillLine,
    /// Ctrl-C: interrupts, and drops the line.
    Interrupt,
    /// Ctrl-\: ends with a core dump.
    Quit,
    /// Ctrl-D: the end of the input, or hands on what was typed so far.
    End,
    /// A key that changes the line in a way that its text does not show, such as an arrow: what it sends.
    Edit(String),
    /// A key that may bring in lines that nobody typed here, such as the last one of the history: what it sends.
    Recall(String),
}

/// Keys by name, and what they send.
const EDITS: &[(&str, &str)] = &[
    ("left", "\x1b[D"),
    ("right", "\x1b[C"),
    ("home", "\x1b[H"),
    ("end", "\x1b[F"),
    ("insert", "\x1b[2~"),
    ("delete", "\x1b[3~"),
    ("pageup", "\x1b[5~"),
    ("pagedown", "\x1b[6~"),
    ("f1", "\x1bOP"),
    ("f2", "\x1bOQ"),
    ("f3", "\x1bOR"),
    ("f4", "\x1bOS"),
    ("f5", "\x1b[15~"),
    ("f6", "\x1b[17~"),
    ("f7", "\x1b[18~"),
    ("f8", "\x1b[19~"),
    ("f9", "\x1b[20~"),
    ("f10", "\x1b[21~"),
    ("f11", "\x1b[23~"),
    ("f12", "\x1b[24~"),
];

const RECALLS: &[(&str, &str)] = &[("up", "\x1b[A"), ("down", "\x1b[B"), ("escape", "\x1b")];

/// Other names of the same keys.
const ALIASES: &[(&str, &str)] = &[
    ("return", "enter"),
    ("esc", "escape"),
    ("del", "delete"),
    ("ins", "insert"),
    ("bs", "backspace"),
    ("pgup", "pageup"),
    ("pgdn", "pagedown"),
    ("arrowup", "up"),
    ("arrowdown", "down"),
    ("arrowleft", "left"),
    ("arrowright", "right"),
];

impl Stroke {
    /// Reads a text: its control characters are the keys that send them.
    #[must_use]
    pub fn of_text(text: &str) -> Vec<Self> {
        let mut strokes: Vec<Self> = Vec::new();
        // A line end of two characters is one Enter.
        let text = text.replace("\r\n", "\n");
        for letter in text.chars() {
            match (Self::of_control(letter), strokes.last_mut()) {
                (Some(stroke), _) => strokes.push(stroke),
                (None, Some(Self::Text(before))) => before.push(letter),
                (None, _) => strokes.push(Self::Text(letter.into())),
            }
        }
        strokes
    }

    /// Finds a key by its name; none where there is no such key.
    #[must_use]
    pub fn of_key(name: &str) -> Option<Self> {
        let lower = name.trim().to_ascii_lowercase().replace(['+', '_', ' '], "-");
        let plain = lower.replace('-', "");
        let plain = ALIASES.iter().find(|(alias, _)| *alias == plain).map_or(plain.as_str(), |(_, key)| key);
        match plain {
            "enter" => return Some(Self::Enter),
            "tab" => return Some(Self::Tab),
            "space" => return Some(Self::Text(" ".into())),
            "backspace" => return Some(Self::Backspace),
            _ => {}
        }
        if let Some((_, sends)) = EDITS.iter().find(|(key, _)| *key == plain) {
            return Some(Self::Edit((*sends).into()));
        }
        if let Some((_, sends)) = RECALLS.iter().find(|(key, _)| *key == plain) {
            return Some(Self::Recall((*sends).into()));
        }
        let after = |prefixes: &[&str]| {
            prefixes.iter().find_map(|prefix| lower.strip_prefix(prefix)).and_then(|rest| {
                let mut letters = rest.chars();
                letters.next().filter(|_| letters.next().is_none())
            })
        };
        if let Some(letter) = after(&["ctrl-", "control-", "c-", "^"]) {
            return control(letter);
        }
        // Only letters, digits and marks: Alt with a control character is no key of a keyboard.
        after(&["alt-", "meta-", "m-"]).filter(|letter| !letter.is_control()).map(|_| {
            let letter = name.trim().chars().last().unwrap_or_default();
            Self::Recall(format!("\x1b{letter}"))
        })
    }

    /// Gives what it sends to a terminal.
    #[must_use]
    pub fn terminal(&self) -> &str {
        match self {
            Self::Text(text) | Self::Edit(text) | Self::Recall(text) => text,
            Self::Enter => "\r",
            Self::Tab => "\t",
            Self::Backspace => "\x7f",
            Self::KillLine => "\x15",
            Self::Interrupt => "\x03",
            Self::Quit => "\x1c",
            Self::End => "\x04",
        }
    }

    /// The key that sends a control character; none for a character that is none.
    fn of_control(letter: char) -> Option<Self> {
        Some(match letter {
            '\n' | '\r' => Self::Enter,
            '\t' => Self::Tab,
            '\x7f' | '\x08' => Self::Backspace,
            '\x15' => Self::KillLine,
            '\x03' => Self::Interrupt,
            '\x1c' => Self::Quit,
            '\x04' => Self::End,
            // To the start and end of the line, a character forth and back, and drawing the screen anew.
            '\x01' | '\x02' | '\x05' | '\x06' | '\x0b' | '\x0c' => Self::Edit(letter.into()),
            // Whatever else: histories, what was cut out before, sequences that begin with Escape.
            letter if letter.is_control() => Self::Recall(letter.into()),
            _ => return None,
        })
    }
}

/// Ctrl and a letter.
fn control(letter: char) -> Option<Stroke> {
    let code = match letter {
        'a'..='z' => letter as u8 - b'a' + 1,
        '[' => 0x1b,
        '\\' => 0x1c,
        ']' => 0x1d,
        _ => return None,
    };
    Stroke::of_control(code.into())
}

#[cfg(test)]
mod tests {
    use super::Stroke;

    #[test]
    fn keys_have_names_that_agents_use() {
        for (names, sends) in [
            (&["Enter", "return", "RETURN"][..], "\r"),
            (&["Ctrl-C", "ctrl+c", "C-c", "^C", "Control-C"], "\x03"),
            (&["Ctrl-D", "ctrl+d"], "\x04"),
            (&["Ctrl-Z"], "\x1a"),
            (&["Ctrl-\\"], "\x1c"),
            (&["Up", "ArrowUp", "arrow_up"], "\x1b[A"),
            (&["PageDown", "Page-Down", "pgdn"], "\x1b[6~"),
            (&["Escape", "Esc", "Ctrl-["], "\x1b"),
            (&["Alt-x", "M-x"], "\x1bx"),
            (&["Alt-X"], "\x1bX"),
            (&["F1"], "\x1bOP"),
            (&["Tab", "Ctrl-I"], "\t"),
            (&["Space"], " "),
        ] {
            for name in names {
                let stroke = Stroke::of_key(name);
                assert_eq!(stroke.as_ref().map(Stroke::terminal), Some(sends), "{name}");
            }
        }
        for name in ["", "x", "ls", "Ctrl-", "Ctrl-CC", "F13", "Ctrl-é", "Hyper-x"] {
            assert_eq!(Stroke::of_key(name), None, "{name}");
        }
    }

    #[test]
    fn control_characters_of_a_text_are_keys() {
        let text = |text: &str| Stroke::Text(text.into());
        assert_eq!(Stroke::of_text("ls -l\r\n"), [text("ls -l"), Stroke::Enter]);
        assert_eq!(
            Stroke::of_text("a\x03b\x1b[A"),
            [text("a"), Stroke::Interrupt, text("b"), Stroke::Recall("\x1b".into()), text("[A")]
        );
    }
}
