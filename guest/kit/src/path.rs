//! Paths by name alone.

/// Joins a path to an absolute one by name, as shells do for `cd`: `..` takes out the name before it.
pub fn joined(base: &str, path: &str) -> String {
    let whole = if path.starts_with('/') { path.to_owned() } else { [base, "/", path].concat() };
    let mut names: Vec<&str> = Vec::new();
    for name in whole.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    ["/", &names.join("/")].concat()
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn paths_are_joined_by_name() {
        for (base, path, expected) in [
            ("/p", "a/b", "/p/a/b"),
            ("/p/a", "..", "/p"),
            ("/p", "./a//b/../c/", "/p/a/c"),
            ("/p", "/etc/./x", "/etc/x"),
            ("/p", "../../..", "/"),
        ] {
            assert_eq!(joined(base, path), expected);
        }
    }
}
