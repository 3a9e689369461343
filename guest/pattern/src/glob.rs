//! Patterns over commands: `*` is any text, `?` any character, and a trailing ` *` also no argument at all.
//!
//! A command may hold words that are known only when it runs. Whether a pattern matches can then be asked for sure or
//! as far as it may be.

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    text: String,
    letters: Vec<char>,
}

/// A piece of a command's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// A known character.
    Known(char),
    /// What is known only when it runs: any text.
    Any,
}

impl Glob {
    /// Makes a pattern.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.into(), letters: text.trim().chars().collect() }
    }

    /// Gives the pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Tells whether a line matches, whatever its unknown words turn out to be.
    #[must_use]
    pub fn surely(&self, line: &[Letter]) -> bool {
        // An unknown word stands for a character that no pattern names.
        let known: Vec<Letter> =
            line.iter().map(|letter| if *letter == Letter::Any { Letter::Known('\0') } else { *letter }).collect();
        self.may_be(&known)
    }

    /// Tells whether a line may match, depending on what its unknown words turn out to be.
    #[must_use]
    pub fn may_be(&self, line: &[Letter]) -> bool {
        let bare = self.letters.strip_suffix(&[' ', '*']);
        meets(&self.letters, line) || bare.is_some_and(|bare| meets(bare, line))
    }
}

/// Tells whether some text is both a match of the pattern and what the line may be: the set of places in the pattern
/// that can be reached is carried along the line.
fn meets(pattern: &[char], line: &[Letter]) -> bool {
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_stars(pattern, &mut reached);
    for letter in line {
        let mut next = vec![false; pattern.len() + 1];
        match letter {
            Letter::Known(letter) => {
                for (at, expected) in pattern.iter().enumerate().filter(|(at, _)| reached[*at]) {
                    match expected {
                        '*' => next[at] = true,
                        '?' => next[at + 1] = true,
                        expected => next[at + 1] |= expected == letter,
                    }
                }
            }
            Letter::Any => {
                if let Some(first) = reached.iter().position(|reached| *reached) {
                    next[first..].fill(true);
                }
            }
        }
        skip_stars(pattern, &mut next);
        if !next.contains(&true) {
            return false;
        }
        reached = next;
    }
    reached[pattern.len()]
}

fn skip_stars(pattern: &[char], reached: &mut [bool]) {
    for (at, letter) in pattern.iter().enumerate() {
        if *letter == '*' && reached[at] {
            reached[at + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line in which `…` is an unknown word.
    fn line(text: &str) -> Vec<Letter> {
        text.chars().map(|letter| if letter == '…' { Letter::Any } else { Letter::Known(letter) }).collect()
    }

    #[test]
    fn patterns_match_whole_commands() {
        for (pattern, command, matches) in [
            ("git push *", "git push origin main", true),
            ("git push *", "git push", true),
            ("git push *", "git pushall", false),
            ("git push*", "git pushall", true),
            ("rm", "rm x", false),
            ("*", "", true),
            ("m?fs", "mkfs", true),
            ("* --force*", "git push --force-with-lease", true),
            ("mkfs*", "mkfs.ext4 /dev/sda", true),
        ] {
            assert_eq!(Glob::new(pattern).surely(&line(command)), matches, "{pattern} on {command}");
        }
    }

    #[test]
    fn unknown_words_may_be_anything_and_are_nothing_for_sure() {
        for (pattern, command, surely, may_be) in [
            ("git push *", "git … origin", false, true),
            ("git push *", "git push …", true, true),
            ("git push *", "npm …", false, false),
            ("cargo test", "cargo …", false, true),
            ("* --force *", "git push …", false, true),
        ] {
            let glob = Glob::new(pattern);
            assert_eq!(
                (glob.surely(&line(command)), glob.may_be(&line(command))),
                (surely, may_be),
                "{pattern} on {command}"
            );
        }
    }
}
