//! The virtual workspace: a tree of names, and where paths lead in it.

use std::collections::BTreeMap;

use crate::contract::{Access, Kind, PathError, Place};

/// What is at a path.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Directory { closed: bool },
    File,
    Link(String),
}

/// The tree, by absolute path. Only `/` is not listed.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) root: String,
    pub(super) home: Option<String>,
    nodes: BTreeMap<String, Node>,
}

impl Files {
    pub(super) fn new() -> Self {
        let mut files = Self { root: "/project".into(), home: Some("/home/agent".into()), nodes: BTreeMap::new() };
        for path in ["/project", "/home/agent", "/tmp", "/etc"] {
            files.add(path, Node::Directory { closed: false });
        }
        files
    }

    /// Adds a node, and directories above it where nothing is yet.
    pub(super) fn add(&mut self, path: &str, node: Node) {
        let path = self.absolute(path, &self.root);
        for (at, _) in path.match_indices('/').skip(1) {
            self.nodes.entry(path[..at].into()).or_insert(Node::Directory { closed: false });
        }
        self.nodes.insert(path, node);
    }

    pub(super) fn is_directory(&self, path: &str) -> bool {
        path == "/" || matches!(self.nodes.get(path), Some(Node::Directory { .. }))
    }

    /// Says where a path leads, as `workspace.resolve` does.
    pub(super) fn resolve(&self, path: &str, base: Option<&str>) -> Result<Place, PathError> {
        if path.contains('\0') || base.is_some_and(|base| base.contains('\0')) {
            return Err(PathError::Nul);
        }
        if path.len() >= 4096 || path.split('/').any(|name| name.len() > 255) {
            return Err(PathError::TooLong);
        }
        let base = self.absolute(base.unwrap_or("."), &self.root);
        let absolute = self.walk(&self.absolute(path, &base))?;
        let (kind, closed) = match self.nodes.get(&absolute) {
            _ if absolute == "/" => (Kind::Directory, false),
            Some(Node::Directory { closed }) => (Kind::Directory, *closed),
            Some(Node::File) => (Kind::File, false),
            // A link is never what a walk ends at.
            Some(Node::Link(_)) | None => (Kind::Missing, true),
        };
        let access = Access { read: !closed, write: !closed, enter: !closed && matches!(kind, Kind::Directory) };
        Ok(Place { relative: self.relative(&absolute), absolute, kind, access })
    }

    fn absolute(&self, path: &str, base: &str) -> String {
        if path.starts_with('/') { path.into() } else { format!("{base}/{path}") }
    }

    fn relative(&self, absolute: &str) -> Option<String> {
        match absolute.strip_prefix(&self.root)? {
            "" => Some(".".into()),
            rest => rest.strip_prefix('/').map(str::to_owned),
        }
    }

    /// Follows links name by name. A missing name stays, and `..` after it takes it out again.
    fn walk(&self, path: &str) -> Result<String, PathError> {
        let mut left: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
        let mut at = String::new();
        let mut links = 0;
        while let Some(name) = left.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => at.truncate(at.rfind('/').unwrap_or(0)),
                name => {
                    if matches!(self.nodes.get(&at), Some(Node::Directory { closed: true })) {
                        return Err(PathError::PermissionDenied);
                    }
                    let next = format!("{at}/{name}");
                    let Some(Node::Link(target)) = self.nodes.get(&next) else {
                        at = next;
                        continue;
                    };
                    links += 1;
                    if links > 40 {
                        return Err(PathError::Circular);
                    }
                    if target.starts_with('/') {
                        at.clear();
                    }
                    left.extend(target.split('/').rev().map(str::to_owned));
                }
            }
        }
        Ok(if at.is_empty() { "/".into() } else { at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_where_they_lead() {
        let mut files = Files::new();
        files.add("src/main.rs", Node::File);
        files.add("out", Node::Link("/etc".into()));
        files.add("up", Node::Link("../project/src".into()));
        files.add("loop", Node::Link("loop".into()));
        files.add("secret", Node::Directory { closed: true });
        let cases = [
            (".", None, Ok(("/project", Some("."), Kind::Directory))),
            ("src", None, Ok(("/project/src", Some("src"), Kind::Directory))),
            ("./src/../src/main.rs", None, Ok(("/project/src/main.rs", Some("src/main.rs"), Kind::File))),
            ("main.rs", Some("src"), Ok(("/project/src/main.rs", Some("src/main.rs"), Kind::File))),
            ("..", None, Ok(("/", None, Kind::Directory))),
            ("../../..", None, Ok(("/", None, Kind::Directory))),
            ("../projectile", None, Ok(("/projectile", None, Kind::Missing))),
            ("out", None, Ok(("/etc", None, Kind::Directory))),
            ("out/passwd", None, Ok(("/etc/passwd", None, Kind::Missing))),
            ("up/main.rs", None, Ok(("/project/src/main.rs", Some("src/main.rs"), Kind::File))),
            ("no/such/../dir", None, Ok(("/project/no/dir", Some("no/dir"), Kind::Missing))),
            ("loop", None, Err(PathError::Circular)),
            ("secret", None, Ok(("/project/secret", Some("secret"), Kind::Directory))),
            ("secret/inner", None, Err(PathError::PermissionDenied)),
            ("a\0b", None, Err(PathError::Nul)),
        ];
        for (path, base, expected) in cases {
            let place = files.resolve(path, base);
            let found = place.map(|place| (place.absolute, place.relative, place.kind));
            let expected =
                expected.map(|(absolute, relative, kind)| (absolute.into(), relative.map(str::to_owned), kind));
            assert_eq!(found, expected, "{path}");
        }
    }
}
