//! Paths as text: `.` and `..` taken out without asking a file system.

/// Returns a path without empty and `.` components, with `..` taken out where something stands before it.
///
/// An absolute path keeps its leading slash and never leads above it; a relative one may keep leading `..`.
pub(crate) fn normal(path: &str, absolute: bool) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for component in crate::text::pieces(path, b'/') {
        match component {
            "" | "." => {}
            ".." => match kept.last() {
                Some(&last) if last != ".." => {
                    kept.pop();
                }
                _ if absolute => {}
                _ => kept.push(component),
            },
            _ => kept.push(component),
        }
    }
    let joined = kept.join("/");
    if absolute { ["/", &joined].concat() } else { joined }
}
