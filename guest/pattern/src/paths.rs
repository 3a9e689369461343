//! Paths: where a line goes and what it names must lie within what is allowed.
//!
//! No rule about programs' options is needed to tell paths: every word counts that could be one, absolute or
//! relative, with links followed and what is missing judged by where it would be. Words of programs that open nothing,
//! and patterns of those that search, do not count. It is a fence against mistakes: what a program does with a name
//! it makes up itself is the sandbox's to stop.

use std::cell::RefCell;
use std::collections::BTreeMap;

use shellward_kit::Host;
use shellward_kit::contract::{Decision, Kind, Place};
use shellward_syntax::{Command, Operator, Part, Redirection, Target, Word, facts};

use crate::failure::Failure;
use crate::judge::{Case, Objection, Rule};
use crate::moves::{Places, spelled};
use crate::settings::{Settings, TABLE};

/// The most paths of a line that are looked up, so that a judgement ends soon.
const MOST: usize = 500;

/// Programs that open none of their words.
const BLIND: &str = " echo printf true false : export declare typeset local readonly unset set shift return exit let \
    alias unalias type kill jobs wait trap sleep seq expr tr basename dirname ulimit umask getopts read eval \
    which whoami id groups uname ";

/// Programs whose first operand is a pattern or a script, unless an option gives it.
const SEARCHERS: &str = " grep egrep fgrep zgrep rg ugrep ag ack sed gsed awk gawk mawk nawk jq yq ";

/// Programs that make missing directories on the way to what they write.
const MAKERS: &str = " mkdir install rsync git tar unzip cp mv cargo npm pip make cmake rclone ";

/// Devices that keep nothing and give nothing away.
const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// What is allowed, links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    roots: Vec<String>,
}

impl Allowed {
    /// Looks up what the settings allow. What cannot be resolved allows nothing.
    #[must_use]
    pub fn new<H: Host>(host: &H, settings: &Settings) -> Self {
        let roots = settings.allowed_paths.iter().filter_map(|path| {
            let path = match path.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => [host.home()?.as_str(), rest].concat(),
                _ => path.clone(),
            };
            Some(host.resolve(&path, None).ok()?.absolute)
        });
        Self { roots: roots.collect() }
    }

    /// Tells whether a resolved path lies within.
    #[must_use]
    pub fn holds(&self, absolute: &str) -> bool {
        self.roots.iter().any(|root| {
            let rest = absolute.strip_prefix(root.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The directory in which sessions begin: the first that is allowed.
    #[must_use]
    pub fn start(&self) -> String {
        self.roots.first().cloned().unwrap_or_else(|| "/".into())
    }

    /// Makes sure that the directory in which sessions begin is there.
    ///
    /// # Errors
    /// It is none.
    pub fn has_start<H: Host>(&self, host: &H) -> Result<(), Failure> {
        let start = self.start();
        match host.resolve(&start, None) {
            Ok(place) if place.kind == Kind::Directory => Ok(()),
            Ok(_) | Err(_) => Err(Failure::SpawnFailed(format!(
                "sessions begin in {start}, the first of `allowed_paths` in [{TABLE}], and that is no directory. The user \
                 makes it, or names another"
            ))),
        }
    }

    /// Everything that is allowed.
    #[must_use]
    pub fn roots(&self) -> &[String] {
        &self.roots
    }
}

/// Finds every change of directory and every named path that leads outside, or nobody knows where.
pub fn check<H: Host>(host: &H, case: &Case<'_>, allowed: &Allowed, directory: &str, found: &mut Vec<Objection>) {
    let places = Places::follow(host, case.text, case.script, directory);
    for led in &places.led {
        let what = format!("`{}`", case.written(led.command));
        let outside = led.to.as_ref().map(|to| to.iter().find(|to| !allowed.holds(to)));
        let objection = match outside {
            Ok(None) => continue,
            Ok(Some(to)) => outside_of(case, format!("{what} leads to {to}"), led.span),
            // A session that goes nobody knows where is refused however lenient paths are: every later path depends
            // on it.
            Err(why) => not_known(Decision::Deny, format!("{what} {why}"), led.span),
        };
        found.push(objection.of(led.command));
    }
    let look = Look { host, case, allowed, places: &places, looked: RefCell::default() };
    for (index, command) in case.script.commands.iter().enumerate() {
        found.extend(look.command(index, command).into_iter().map(|objection| objection.of(index)));
    }
}

fn outside_of(case: &Case<'_>, what: String, span: shellward_syntax::Span) -> Objection {
    let allowed = case.settings.allowed_paths.join(", ");
    let message = format!("{what}, outside of what is allowed ({allowed})");
    let hint = format!("Name a path within; the user sets `allowed_paths` in [{TABLE}].");
    Objection::denied(Rule::Path, message, hint, span)
}

fn unknown(case: &Case<'_>, what: String, span: shellward_syntax::Span) -> Objection {
    let strict = case.settings.strict_path_enforcement;
    not_known(if strict { Decision::Deny } else { Decision::Allow }, what, span)
}

fn not_known(decision: Decision, what: String, span: shellward_syntax::Span) -> Objection {
    Objection::new(Rule::Path, decision, what, "Write the path out.", span)
}

/// Says what speaks against the paths of what an alias stands for: it may be used wherever the session may go.
pub fn of_alias<H: Host>(host: &H, case: &Case<'_>, allowed: &Allowed, directory: &str) -> Option<String> {
    let mut found = Vec::new();
    for from in allowed.roots().iter().map(String::as_str).chain([directory]) {
        check(host, case, allowed, from, &mut found);
    }
    found.into_iter().find(|objection| objection.ground.decision != Decision::Allow).map(|objection| objection.message)
}

/// Tells whether words are taken for no paths behind this name that are ones to the program it would stand for.
#[must_use]
pub fn is_mistaken(name: &str, program: &str) -> bool {
    [BLIND, SEARCHERS].iter().any(|list| is_in(list, name) && !is_in(list, program))
}

fn is_in(list: &str, program: &str) -> bool {
    !program.is_empty() && list.split(' ').any(|known| known == program)
}

/// What a word may name.
enum Named {
    /// Nothing in the file system.
    Nothing,
    /// A path; whether it is one for sure, rather than a plain word.
    Path(String, bool),
    /// A path that is known only when it runs.
    Unknown,
}

struct Look<'a, H> {
    host: &'a H,
    case: &'a Case<'a>,
    allowed: &'a Allowed,
    places: &'a Places,
    looked: RefCell<BTreeMap<(String, String), Option<Place>>>,
}

impl<H: Host> Look<'_, H> {
    fn command(&self, index: usize, command: &Command) -> Vec<Objection> {
        let mut found = Vec::new();
        for redirection in &command.redirections {
            if let Some(word) = file(redirection) {
                found.extend(self.word(index, word, true));
            }
        }
        let program = facts::program(command).unwrap_or_default();
        if let Some(first) = command.words.first() {
            found.extend(self.program(index, first));
        }
        // Where `cd` leads was looked at already.
        if is_in(BLIND, program) || matches!(program, "cd" | "chdir" | "pushd" | "popd") {
            return found;
        }
        let mut pattern = is_in(SEARCHERS, program) && !gives_pattern(&command.words);
        for word in command.words.iter().skip(1) {
            let option = word.literal().is_some_and(|text| text.starts_with('-'));
            if pattern && !option {
                pattern = false;
                continue;
            }
            found.extend(self.word(index, word, is_in(MAKERS, program)));
        }
        found
    }

    /// A program named by a path outside, unless it is the one that its name finds.
    fn program(&self, index: usize, word: &Word) -> Option<Objection> {
        let Some(path) = spelled(self.host, word) else {
            // A program without a name is an obstacle to the analysis.
            facts::program(self.case.script.commands.get(index)?)?;
            let what = format!("`{}` is a program at a path that is known only when it runs", self.case.excerpt(word));
            return Some(unknown(self.case, what, word.span));
        };
        if !path.contains('/') || self.host.find_program(path.rsplit('/').next()?).as_deref() == Some(&path) {
            return None;
        }
        let system = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"];
        if system.iter().any(|directory| path.strip_prefix(directory).is_some_and(|name| !name.contains('/'))) {
            return None;
        }
        self.path(index, word, &path, true)
    }

    /// Looks at a word; `sure` where it names a file whatever it looks like.
    fn word(&self, index: usize, word: &Word, sure: bool) -> Vec<Objection> {
        let mut found = Vec::new();
        match self.named(word) {
            Named::Nothing => {}
            Named::Unknown => {
                let what = format!("`{}` may name a path that is known only when it runs", self.case.excerpt(word));
                found.push(unknown(self.case, what, word.span));
            }
            Named::Path(text, path) => {
                for piece in pieces(&text) {
                    found.extend(self.path(
                        index,
                        word,
                        piece,
                        sure || path && piece == text && !piece.starts_with('/'),
                    ));
                }
            }
        }
        found
    }

    fn named(&self, word: &Word) -> Named {
        if let Some(text) = spelled(self.host, word) {
            let path = text.contains('/') || text == "." || text == "..";
            return if text.is_empty() { Named::Nothing } else { Named::Path(text, path) };
        }
        // A pattern names what lies in the directory before it, unless it goes up behind it.
        let known: Vec<Part> = word.parts.iter().take_while(|part| !matches!(part, Part::Glob(_))).cloned().collect();
        let rest = word.parts.get(known.len()..).unwrap_or_default();
        let up = rest.iter().any(|part| matches!(part, Part::Text(text) | Part::Glob(text) if text.contains("..")));
        let computed = rest.iter().any(|part| matches!(part, Part::User(_) | Part::Variable(_) | Part::Dynamic));
        match spelled(self.host, &Word { parts: known, span: word.span }) {
            Some(text) if !up && !computed => match text.rfind('/') {
                Some(slash) => Named::Path(text[..=slash].to_owned(), true),
                None => Named::Nothing,
            },
            _ => Named::Unknown,
        }
    }

    /// Looks at one path from wherever its command may run.
    fn path(&self, index: usize, word: &Word, path: &str, sure: bool) -> Option<Objection> {
        if DEVICES.contains(&path) || path.starts_with("/dev/fd/") {
            return None;
        }
        for base in self.places.of(index) {
            if self.looked.borrow().len() > MOST {
                let what = format!("the line names more than {MOST} paths, and no more are looked up");
                return Some(not_known(Decision::Deny, what, word.span));
            }
            let Some(place) = self.place(path, &base) else {
                return Some(unknown(self.case, format!("`{path}` leads nobody can say where"), word.span));
            };
            if self.allowed.holds(&place.absolute) || (!sure && !self.is_real(path, &place)) {
                continue;
            }
            return Some(outside_of(self.case, format!("`{path}` is {}", place.absolute), word.span));
        }
        None
    }

    /// Tells whether a word that may be no path at all names something: it is there, or could be made there.
    fn is_real(&self, path: &str, place: &Place) -> bool {
        if place.kind != Kind::Missing {
            return true;
        }
        let parent =
            place.absolute.rsplit_once('/').map_or("/", |(parent, _)| if parent.is_empty() { "/" } else { parent });
        path.contains('/') && self.place(parent, "/").is_some_and(|place| place.kind == Kind::Directory)
    }

    fn place(&self, path: &str, base: &str) -> Option<Place> {
        let key = (path.to_owned(), base.to_owned());
        if let Some(place) = self.looked.borrow().get(&key) {
            return place.clone();
        }
        let place = self.host.resolve(path, Some(base)).ok();
        self.looked.borrow_mut().insert(key, place.clone());
        place
    }
}

/// Gives the file of a redirection.
fn file(redirection: &Redirection) -> Option<&Word> {
    match (&redirection.target, redirection.operator) {
        (_, Operator::HereDocument | Operator::HereString) => None,
        (Target::File(word), _) => Some(word),
        (Target::Descriptor(_) | Target::Body(_), _) => None,
    }
}

/// Tells whether an option may give the pattern or the script, so that every operand is a file: by its letter, also
/// behind others and with the pattern glued to it, or by its name, however shortened.
fn gives_pattern(words: &[Word]) -> bool {
    const NAMES: [&str; 5] = ["regexp", "file", "expression", "from-file", "files"];
    words.iter().skip(1).filter(|word| facts::shown(word).starts_with('-')).any(|word| {
        let text = facts::shown(word);
        match text.strip_prefix("--") {
            Some(long) => {
                let given = long.split('=').next().unwrap_or_default();
                !given.is_empty() && NAMES.iter().any(|name| name.starts_with(given))
            }
            None => text[1..].chars().take_while(char::is_ascii_alphabetic).any(|letter| matches!(letter, 'e' | 'f')),
        }
    })
}

/// Gives the parts of a word that may be paths: all of it, or what follows an option's letter or `=`, split at `:`.
fn pieces(text: &str) -> Vec<&str> {
    if text.contains("://") {
        return text.strip_prefix("file://").into_iter().collect();
    }
    let value = match (text.strip_prefix('-'), text.split_once('=')) {
        (_, Some((_, value))) => value,
        (Some(option), None) => match option.char_indices().nth(1).map(|(at, _)| &option[at..]) {
            Some(rest) if rest.len() > 1 && rest.starts_with(['/', '.']) => rest,
            _ => return Vec::new(),
        },
        (None, None) => text,
    };
    // `host:path` names a file of another machine.
    match value.split_once(':') {
        Some((before, _)) if !before.contains('/') && !before.is_empty() => vec![value],
        Some(_) => value.split(':').filter(|piece| !piece.is_empty()).collect(),
        None if value.is_empty() => Vec::new(),
        None => vec![value],
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn words_are_taken_apart_where_paths_begin() {
        for (text, expected) in [
            ("src/main.rs", vec!["src/main.rs"]),
            ("--file=/etc/passwd", vec!["/etc/passwd"]),
            ("of=/dev/sda", vec!["/dev/sda"]),
            ("-C/etc", vec!["/etc"]),
            ("-I../include", vec!["../include"]),
            ("-d/", vec![]),
            ("--verbose", vec![]),
            ("https://example.org/etc", vec![]),
            ("file:///etc/passwd", vec!["/etc/passwd"]),
            ("/etc:/mnt", vec!["/etc", "/mnt"]),
            ("host:/etc/passwd", vec!["host:/etc/passwd"]),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }
}
