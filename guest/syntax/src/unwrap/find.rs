//! `find -exec` and `fd --exec`.

use super::options::unknown;
use super::words::{among, begins, dynamic, fill, is, is_one, may_be_option, text};
use super::{Found, Looked};
use crate::script::{Part, Word};
use crate::text::{find, holds, pieces};

/// Looks into `find`.
pub(crate) fn look(name: &str, words: &[Word], found: &mut Found) -> Looked {
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
        if let Some(doubt) = doubt
            && among("; +", text)
        {
            return Err(unknown(name, doubt));
        }
        if among("-exec -execdir -ok -okdir", text) {
            let end = end(words, at);
            let inner = words.get(at..end).unwrap_or_default().iter().map(|word| fill(word, "{}")).collect();
            at = end + 1;
            found.program(&[name, " ", text].concat(), inner);
        }
    }
    Ok(())
}

/// Returns where the words of an action end: at `;`, or at `+` after `{}`.
fn end(words: &[Word], from: usize) -> usize {
    let ends = |at: usize| {
        words.get(at).is_some_and(|word| is(word, ";") || is(word, "+") && at > from && is(&words[at - 1], "{}"))
    };
    (from..words.len()).find(|at| ends(*at)).unwrap_or(words.len())
}

/// A path or pattern that the shell expands cannot be an action when it does not begin like one.
fn is_pattern(word: &Word) -> bool {
    let globbed = !word.parts.iter().any(|part| matches!(part, Part::Dynamic));
    globbed && (!may_be_option(word) || matches!(word.parts.first(), Some(Part::Glob(glob)) if glob != "*"))
}

const FD_VALUED: &str = "-e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -S --size -j --threads -c \
    --color --changed-within --changed-before -o --owner --base-directory -C --search-path --max-results \
    --ignore-file --path-separator --batch-size --format --and";

/// Looks into `fd`.
pub(crate) fn fd(name: &str, words: &[Word], found: &mut Found) -> Looked {
    let mut at = 1;
    let mut operands_only = false;
    while let Some(word) = words.get(at) {
        at += 1;
        if !may_be_option(word) || operands_only {
            continue;
        }
        let Some(text) = text(word) else { return Err(unknown(name, word)) };
        if text == "--" {
            operands_only = true;
        } else if among("-x --exec -X --exec-batch", text) {
            executed(&[name, " ", text].concat(), words.get(at..).unwrap_or_default(), found);
            return Ok(());
        } else if among(FD_VALUED, text) {
            at += 1;
        } else if begins(word, "--exec") || (!begins(word, "--") && holds(text, "xX")) {
            // `-Hx` and `--exec=…` in one word.
            return Err(unknown(name, word));
        }
    }
    Ok(())
}

/// The words after `-x` are the program; without a placeholder the path is added.
fn executed(via: &str, words: &[Word], found: &mut Found) {
    let Some(first) = words.first() else { return };
    let mut inner: Vec<Word> = words.iter().take_while(|word| !is(word, ";")).cloned().collect();
    let mut placed = false;
    for placeholder in pieces("{} {/} {//} {.} {/.}", b' ') {
        for word in &mut inner {
            placed |=
                word.parts.iter().any(|part| matches!(part, Part::Text(text) if find(text, placeholder).is_some()));
            *word = fill(word, placeholder);
        }
    }
    if !placed {
        inner.push(dynamic(first.span));
    }
    found.program(via, inner);
}
