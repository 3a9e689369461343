//! `find -exec` and `fd --exec`.

use super::options::unknown;
use super::words::{among, dynamic, fill, is_one, may_be_option, text};
use super::{Inner, Looked};
use crate::script::{Command, Part, Word};

/// Looks into `find` and `fd`.
pub(crate) fn look(name: &str, command: &Command) -> Looked {
    if name.ends_with("find") && name != "fdfind" { find(name, &command.words) } else { fd(name, &command.words) }
}

fn find(name: &str, words: &[Word]) -> Looked {
    let mut found = Vec::new();
    let mut at = 1;
    let mut doubt = None;
    while let Some(word) = words.get(at) {
        at += 1;
        let Some(text) = text(word) else {
            // What the shell expands here may itself be an action: alone, or with the words up to a `;`.
            if !is_one(word) && !is_pattern(word) {
                return Err(unknown(name, word));
            }
            if may_be_option(word) {
                doubt = Some(word);
            }
            continue;
        };
        if let (";" | "+", Some(doubt)) = (text, doubt) {
            return Err(unknown(name, doubt));
        }
        if !matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir") {
            continue;
        }
        let end = end(words, at);
        let inner: Vec<Word> = words[at..end].iter().map(|word| fill(word, "{}")).collect();
        at = end + 1;
        if !inner.is_empty() {
            let via = [name, " ", text].concat();
            found.push(Inner::Program { words: inner, assignments: Vec::new(), here: false, via });
        }
    }
    Ok(found)
}

/// Returns where the words of an action end: at `;`, or at `+` after `{}`.
fn end(words: &[Word], from: usize) -> usize {
    let mut previous = None;
    for (index, word) in words.iter().enumerate().skip(from) {
        match text(word) {
            Some(";") => return index,
            Some("+") if previous == Some("{}") => return index,
            other => previous = other,
        }
    }
    words.len()
}

/// A path or pattern that the shell expands cannot be an action when it does not begin like one.
fn is_pattern(word: &Word) -> bool {
    let globbed = !word.parts.contains(&Part::Dynamic);
    globbed && (!may_be_option(word) || matches!(word.parts.first(), Some(Part::Glob(glob)) if glob != "*"))
}

const FD_VALUED: &str = "-e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -S --size -j --threads -c \
    --color --changed-within --changed-before -o --owner --base-directory -C --search-path --max-results \
    --ignore-file --path-separator --batch-size --format --and";

fn fd(name: &str, words: &[Word]) -> Looked {
    let mut at = 1;
    let mut operands_only = false;
    while let Some(word) = words.get(at) {
        at += 1;
        if !may_be_option(word) || operands_only {
            continue;
        }
        let Some(text) = text(word) else { return Err(unknown(name, word)) };
        match text {
            "--" => operands_only = true,
            "-x" | "--exec" | "-X" | "--exec-batch" => return executed(name, text, &words[at..]),
            _ if among(FD_VALUED, text) => at += 1,
            // `-Hx` and `--exec=…` in one word.
            _ if text.starts_with("--exec") || (!text.starts_with("--") && text.contains(['x', 'X'])) => {
                return Err(unknown(name, word));
            }
            _ => {}
        }
    }
    Ok(Vec::new())
}

/// The words after `-x` are the program; without a placeholder the path is added.
fn executed(name: &str, option: &str, words: &[Word]) -> Looked {
    const PLACEHOLDERS: [&str; 5] = ["{}", "{/}", "{//}", "{.}", "{/.}"];
    let Some(first) = words.first() else { return Ok(Vec::new()) };
    let end = words.iter().position(|word| text(word) == Some(";")).unwrap_or(words.len());
    let mut inner = words[..end].to_vec();
    let mut placed = false;
    for placeholder in PLACEHOLDERS {
        for word in &mut inner {
            let filled = fill(word, placeholder);
            placed |= filled != *word;
            *word = filled;
        }
    }
    if !placed {
        inner.push(dynamic(first.span));
    }
    let via = [name, " ", option].concat();
    Ok(vec![Inner::Program { words: inner, assignments: Vec::new(), here: false, via }])
}
