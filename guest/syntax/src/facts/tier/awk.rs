//! Whether an awk program only reads.

use crate::text::starts;

/// Tells whether a program holds nothing that runs a command or writes a file.
///
/// Where `/` may begin a pattern, strings cannot be told from patterns without reading all of awk, so nothing is
/// skipped there and more is refused. A line's end may stand inside what is printed, so it ends nothing.
pub(super) fn only_reads(program: &str) -> bool {
    let skip = !program.contains('/');
    let mut printing = false;
    let mut depth = 0usize;
    let mut letters = program.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' if skip => {
                while let Some((_, inside)) = letters.next() {
                    match inside {
                        '\\' => {
                            letters.next();
                        }
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '#' if skip => while letters.next_if(|(_, next)| *next != '\n').is_some() {},
            '|' if letters.next_if(|(_, next)| *next == '|').is_none() => return false,
            '@' => return false,
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ';' | '{' | '}' if skip => {
                printing = false;
                depth = 0;
            }
            '>' if printing && (depth == 0 || !skip) && is_kept(&program[at..]) => return false,
            _ if letter.is_ascii_alphabetic() || letter == '_' => {
                let rest = &program[at..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                match &rest[..end] {
                    "system" | "close" | "fflush" => return false,
                    "print" | "printf" => printing = true,
                    _ => {}
                }
                while letters.next_if(|(next, _)| *next < at + end).is_some() {}
            }
            _ => {}
        }
    }
    true
}

/// Tells whether what a `>` prints may be kept: not on an end of the program.
fn is_kept(printed: &str) -> bool {
    let rest = printed.trim_start_matches('>').trim_start_matches([' ', '\t']);
    let file = ["\"/dev/stderr\"", "\"/dev/stdout\"", "\"/dev/null\""].iter().find_map(|file| rest.strip_prefix(file));
    file.is_none_or(|after| {
        let after = after.trim_start_matches([' ', '\t']);
        !after.is_empty() && !starts(after, ";}\n")
    })
}
