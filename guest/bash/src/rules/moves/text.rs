//! What the text itself says about changes of directory.

/// Tells whether what stands between two commands lets the second run only after the first: `&&`, perhaps with
/// parentheses or braces that open, or a pipe.
pub(super) fn is_tie(between: &str) -> bool {
    let blank = [' ', '\t', '\n'];
    matches!(between.trim_matches(blank).trim_end_matches(['(', '{', ' ', '\t', '\n']), "&&" | "|" | "|&")
}

/// Tells whether a text names a variable other than to read it. Errs towards yes.
pub(super) fn sets(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let whole = !before.ends_with(part) && !text.get(at + name.len()..).unwrap_or_default().starts_with(part);
        whole && !before.ends_with('$') && !before.ends_with("${")
    })
}

#[cfg(test)]
mod tests {
    use super::{is_tie, sets};

    #[test]
    fn only_what_needs_success_is_a_tie() {
        for (between, tie) in [
            (" && ", true),
            ("&&\n", true),
            (" && (", true),
            (" && { ", true),
            (" | ", true),
            ("; ", false),
            (" || ", false),
            (" & ", false),
            ("\n", false),
            (" && ! ", false),
            (") && ", false),
        ] {
            assert_eq!(is_tie(between), tie, "{between:?}");
        }
    }

    #[test]
    fn a_variable_is_set_when_it_is_not_read() {
        for (text, set) in [
            ("CDPATH=/ cd x", true),
            ("export CDPATH", true),
            ("echo $CDPATH ${CDPATH}", false),
            ("MYCDPATH=/ CDPATHS=/", false),
            ("read CDPATH", true),
        ] {
            assert_eq!(sets(text, "CDPATH"), set, "{text}");
        }
    }
}
