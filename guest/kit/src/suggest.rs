//! Finds the name that somebody probably meant.

/// Gives the known name that a wrong one most resembles, if any does.
///
/// Same letters, one within the other, an abbreviation of the same first letter, or at most two typing errors.
pub fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    let wrong = plain(wrong);
    if wrong.is_empty() || wrong.len() > 64 {
        return None;
    }
    let ranked = known.iter().filter_map(|name| Some((likeness(&wrong, &plain(name))?, *name)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, name)| name)
}

/// Lower is nearer; none is too far.
fn likeness(wrong: &[char], known: &[char]) -> Option<usize> {
    if wrong == known {
        return Some(0);
    }
    let typing_errors = distance(wrong, known);
    if typing_errors <= 2 && typing_errors * 3 <= known.len().max(wrong.len()) {
        return Some(typing_errors);
    }
    let contains =
        |long: &[char], short: &[char]| short.len() >= 3 && long.windows(short.len()).any(|part| part == short);
    if contains(known, wrong) || contains(wrong, known) {
        return Some(3);
    }
    (wrong.len() >= 2 && wrong[0] == known[0] && abbreviates(wrong, known)).then_some(4)
}

fn plain(name: &str) -> Vec<char> {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn abbreviates(short: &[char], long: &[char]) -> bool {
    let mut rest = long.iter();
    short.iter().all(|letter| rest.any(|other| other == letter))
}

/// The Levenshtein distance.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, from) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, to) in right.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        let known = ["command", "timeout_seconds", "working_directory", "max_length"];
        let cases = [
            ("cmd", Some("command")),
            ("Command", Some("command")),
            ("comand", Some("command")),
            ("timeout", Some("timeout_seconds")),
            ("timeoutSeconds", Some("timeout_seconds")),
            ("directory", Some("working_directory")),
            ("working_dir", Some("working_directory")),
            ("max_lenght", Some("max_length")),
            ("background", None),
            ("env", None),
            ("", None),
            ("—", None),
        ];
        for (wrong, meant) in cases {
            assert_eq!(nearest(wrong, &known), meant, "{wrong}");
        }
    }
}
