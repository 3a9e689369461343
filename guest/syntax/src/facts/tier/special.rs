//! Programs whose words have a grammar of their own.

use super::Tier::{Admin, ReadOnly, ReadWrite};
use super::{Verdict, behind, flags, is_any};
use crate::script::Word;
use crate::text::before;
use crate::unwrap::options::{Given, Table, is_path, scan};
use crate::unwrap::shells;
use crate::unwrap::words::{among, is, lead, text};

const READS: Verdict = (ReadOnly, None, "only reads");

fn writes(at: usize, why: &'static str) -> Verdict {
    (ReadWrite, Some(at), why)
}

/// `find` with an action that deletes or writes a file; what `-exec` runs is a command of its own.
pub(super) fn find(arguments: &[Word]) -> Verdict {
    let action = arguments.iter().position(|word| {
        // What has a slash in it is no action.
        flags::computed(word) && !is_path(word) || is(word, "-delete -fprint -fprint0 -fprintf -fls")
    });
    action.map_or(READS, |at| writes(at, "this action deletes or writes, or is computed"))
}

/// `tar` in a mode that lists or compares.
pub(super) fn tar(arguments: &[Word]) -> Verdict {
    let mut lists = false;
    for (at, word) in arguments.iter().enumerate() {
        let lead = lead(word);
        if flags::computed(word) {
            return writes(at, "this word is computed and may be an option that writes");
        }
        if is_any(word, "--list --diff --compare") && lead.len() > 4 {
            lists = true;
        } else if lead.starts_with("--") {
            let modes = "--create --extract --get --append --update --catenate --concatenate --delete --index-file \
                         --remove-files";
            if is_any(word, modes) {
                return writes(at, "this option writes");
            }
        } else if let Some(letters) = lead.strip_prefix('-').or((at == 0).then_some(lead)) {
            // The letters before one that takes the rest of the word as its value.
            let letters = letters
                .split(['f', 'C', 'T', 'X', 'b', 'H', 'I', 'F', 'g', 'K', 'L', 'N', 'V'])
                .next()
                .unwrap_or_default();
            if letters.contains(['c', 'x', 'r', 'u', 'A']) {
                return writes(at, "this mode writes");
            }
            lists |= letters.contains(['t', 'd']);
        }
    }
    if lists { READS } else { (ReadWrite, None, "no word says that it only lists") }
}

/// Reads a program's options, between its operands too; returns the operands by their index, or the word that the table
/// does not hold, or one near it.
fn options(program: &str, table: &Table, arguments: &[Word]) -> Result<(Vec<Given>, Vec<usize>), usize> {
    let words = behind(program, arguments);
    let (mut given, mut operands, mut from) = (Vec::new(), Vec::new(), 1);
    while from < words.len() {
        let mut found = scan(program, table, &words, from).map_err(|_| from - 1)?;
        given.append(&mut found.options);
        if found.rest < words.len() {
            operands.push(found.rest - 1);
        }
        from = found.rest + 1;
    }
    Ok((given, operands))
}

const DATE: Table = Table {
    short: "d:f:r:s:v:z:I::Ruj",
    long: "date: file: reference: set: iso-8601? rfc-3339: rfc-2822 rfc-email utc universal debug resolution help version",
    path_ends: false,
};

/// `date` sets the clock with `-s` or a date as operand, unless `-j` says that it does not.
pub(super) fn date(arguments: &[Word]) -> Verdict {
    let sets = match options("date", &DATE, arguments) {
        Err(at) => Some(at),
        Ok((given, operands)) => {
            let is_given = |names| given.iter().any(|option| among(names, option.name));
            let date = operands.into_iter().find(|at| !lead(&arguments[*at]).starts_with('+'));
            if is_given("s set") { Some(0) } else { date.filter(|_| !is_given("j")) }
        }
    };
    sets.map_or(READS, |at| (Admin, Some(at), "sets the clock"))
}

const UNIQ: Table = Table {
    short: "0123456789cdDiuzf:s:w:",
    long: "count repeated all-repeated? skip-fields: group? ignore-case skip-chars: unique zero-terminated check-chars: \
        help version",
    path_ends: false,
};

/// `uniq` writes the second file that it is given.
pub(super) fn uniq(arguments: &[Word]) -> Verdict {
    match options("uniq", &UNIQ, arguments) {
        Ok((_, operands)) if operands.len() < 2 && !arguments.iter().any(|word| is(word, "--")) => READS,
        Ok((_, operands)) => writes(operands.get(1).copied().unwrap_or(0), "this word names something to write"),
        Err(at) => writes(at, "this option is not known to only read"),
    }
}

/// `ip object [show|list|get …]`.
pub(super) fn ip(arguments: &[Word]) -> Verdict {
    // `-batch` reads commands, and may be abbreviated; `-br` is short for another.
    let batch = |word: &Word| lead(word).starts_with("-b") && "-batch".starts_with(before(lead(word), b'='));
    let mut words = arguments.iter().enumerate().filter(|(_, word)| !lead(word).starts_with('-'));
    let object = words.next();
    let at = match (object, words.next()) {
        _ if arguments.iter().any(batch) => 0,
        (Some((at, object)), _) if flags::computed(object) => at,
        (_, None) => return READS,
        (_, Some((_, verb))) if is(verb, "show list lst ls get sh") => return READS,
        // A link's `s` is `set`.
        (Some((_, object)), Some((_, verb))) if is(verb, "s") && !"link".starts_with(lead(object)) => return READS,
        (_, Some((at, _))) => at,
    };
    (Admin, Some(at), "changes the network")
}

/// `mount` without operands lists.
pub(super) fn mount(arguments: &[Word]) -> Verdict {
    match arguments.iter().position(|word| !is(word, "-l -v --version --help -h -V")) {
        Some(at) => (Admin, Some(at), "mounts a file system"),
        None => READS,
    }
}

/// `sysctl` without an assignment reads.
pub(super) fn sysctl(arguments: &[Word]) -> Verdict {
    let sets = |word: &Word| {
        is_any(word, "-w -p -f --write --load --system") || lead(word).contains('=') || text(word).is_none()
    };
    match arguments.iter().position(sets) {
        Some(at) => (Admin, Some(at), "sets a parameter of the kernel"),
        None => READS,
    }
}

/// `service NAME status` reads.
pub(super) fn service(arguments: &[Word]) -> Verdict {
    match arguments.iter().map(text).collect::<Vec<_>>().as_slice() {
        [Some("--status-all")] | [Some(_), Some("status")] => READS,
        _ => (Admin, None, "starts or stops a service"),
    }
}

/// `pacman -Q…`, and searches with `-S`.
pub(super) fn pacman(arguments: &[Word]) -> Verdict {
    let lead = arguments.first().map(lead).unwrap_or_default();
    let reads = lead.starts_with("-Q") || among("-Ss -Si -Sl -F -Fl -V --version --query", lead);
    if reads { READS } else { (Admin, None, "installs or removes packages") }
}

const AWS_VALUED: &str = "--profile --region --output --query --endpoint-url --color --ca-bundle";

/// `aws SERVICE VERB`: verbs that list and describe.
pub(super) fn aws(arguments: &[Word]) -> Verdict {
    let mut at = 0;
    while let Some(option) = arguments.get(at).map(lead).filter(|lead| lead.starts_with("--")) {
        let valued = among(AWS_VALUED, option);
        if !valued && !among("--no-cli-pager --no-paginate --debug --no-verify-ssl", option) {
            return (Admin, Some(at), "an option that no table says leaves it reading");
        }
        at += 1 + usize::from(valued);
    }
    let word = |at: usize| arguments.get(at).and_then(text).unwrap_or_default();
    let reads = match (word(at), word(at + 1)) {
        ("s3", verb) => verb == "ls",
        ("configure", verb) => among("list get list-profiles", verb),
        ("secretsmanager" | "ssm", verb) => verb.starts_with("list-") || verb.starts_with("describe-"),
        ("help", _) | (_, "help") => true,
        (_, verb) => {
            let prefixes =
                ["describe-", "list-", "get-caller", "head-", "lookup-", "filter-log-", "batch-get-", "get-cost"];
            prefixes.iter().any(|prefix| verb.starts_with(prefix)) || verb == "get-log-events"
        }
    };
    if reads { READS } else { (Admin, Some(at.min(arguments.len())), "may change the cloud") }
}

/// `gcloud … list|describe` and `az … list|show`.
pub(super) fn cloud(arguments: &[Word]) -> Verdict {
    const CHANGES: &str = "create delete update set unset add remove start stop restart run deploy reset ssh scp cp mv rm import \
        export apply enable disable assign invoke login init";
    let words: Vec<&str> = arguments.iter().map_while(text).take_while(|word| !word.starts_with('-')).collect();
    let verb =
        words.iter().position(|word| matches!(*word, "list" | "describe" | "show" | "version" | "info" | "help"));
    let reads = verb.is_some_and(|at| at + 2 >= words.len() && !words[..at].iter().any(|word| among(CHANGES, word)));
    if reads { READS } else { (Admin, None, "may change the cloud") }
}

/// A shell whose script has been unwrapped changes nothing by itself; a file, or what it reads, may.
pub(super) fn shell(arguments: &[Word]) -> Verdict {
    let given = shells::options("sh", &behind("sh", arguments));
    if given.is_ok_and(|given| given.has("c") && !given.has("rcfile init-file")) {
        READS
    } else {
        (ReadWrite, (!arguments.is_empty()).then_some(0), "runs a script that is not in the text")
    }
}

const CURL: Table = Table {
    short: "#0123468aBfgGhiIjklLMnNpqsSvVZA:b:C:e:E:H:m:r:t:u:U:w:x:y:Y:z:P:X:o:",
    long: "silent show-error location fail fail-with-body head include insecure verbose compressed ipv4 ipv6 \
        http1.1 http2 get globoff no-buffer header: user-agent: user: referer: max-time: connect-timeout: retry: \
        retry-delay: retry-max-time: retry-all-errors write-out: proxy: range: request: output: cacert: cert: \
        key: resolve: cookie: url: max-redirs: tlsv1.2 progress-bar no-progress-meter version help \
        oauth2-bearer: netrc parallel",
    path_ends: false,
};

/// `curl` that neither sends a body nor keeps a file.
pub(super) fn curl(arguments: &[Word]) -> Verdict {
    let words = behind("curl", arguments);
    let mut from = 1;
    while from < words.len() {
        let Ok(given) = scan("curl", &CURL, &words, from) else {
            // The first word that the table does not hold is at or after this one.
            let at = (from..words.len()).find(|at| scan("curl", &CURL, &words[..=*at], *at).is_err());
            return writes(at.unwrap_or(from) - 1, "this option sends or writes, or is not known to only read");
        };
        for option in &given.options {
            let value = option.value.as_ref().and_then(text);
            let reads = match option.name {
                "o" | "output" => matches!(value, Some("-" | "/dev/null" | "/dev/stdout")),
                "X" | "request" => matches!(value, Some("GET" | "HEAD" | "OPTIONS")),
                "w" | "write-out" => value.is_some_and(|value| !value.contains("%output{") && !value.starts_with('@')),
                _ => true,
            };
            if !reads {
                return writes(given.rest.min(words.len()) - 2, "this option sends or writes");
            }
        }
        from = given.rest + 1;
    }
    READS
}

/// `wget` that prints what it fetches, or only asks whether it is there.
pub(super) fn wget(arguments: &[Word]) -> Verdict {
    const FLAGS: &str = "-q -S -v -nv -4 -6 --quiet --no-verbose --no-check-certificate --server-response --https-only";
    const VALUED: &str = "-T -t -U --timeout --tries --user-agent --header --max-redirect --referer";
    let mut prints = false;
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let known = text(word).unwrap_or_default();
        let name = lead(word).split('=').next().unwrap_or_default();
        match known {
            "--spider" | "-O-" | "-qO-" | "-O/dev/null" | "-qO/dev/null" | "--output-document=-" => prints = true,
            "-O" | "-qO" | "--output-document"
                if matches!(arguments.get(at + 1).and_then(text), Some("-" | "/dev/null")) =>
            {
                prints = true;
                at += 1;
            }
            _ if among(FLAGS, known) => {}
            _ if among(VALUED, name) => at += usize::from(!lead(word).contains('=')),
            _ if !lead(word).starts_with('-') && !flags::computed(word) => {}
            _ => return writes(at, "this option sends or writes, or is not known to only read"),
        }
        at += 1;
    }
    if prints { READS } else { (ReadWrite, None, "keeps what it fetches in a file") }
}

const SED: Table = Table {
    short: "nrEszue:f:l:i::",
    long: "quiet silent regexp-extended separate null-data unbuffered expression: file: line-length: in-place? \
        posix debug sandbox help version",
    path_ends: false,
};

/// `sed` without `-i`, whose scripts hold no command that writes or runs something.
pub(super) fn sed(arguments: &[Word]) -> Verdict {
    let (given, operands) = match options("sed", &SED, arguments) {
        Ok(read) => read,
        Err(at) => return writes(at, "this option is not known to only read"),
    };
    let mut scripts = Vec::new();
    for option in given {
        match option.name {
            "i" | "in-place" => {
                let at = arguments.iter().position(|word| lead(word).starts_with("-") && lead(word).contains('i'));
                return writes(at.unwrap_or(0), "edits files in place");
            }
            "f" | "file" => return writes(0, "runs a script file that is not in the text"),
            "e" | "expression" => scripts.push(option.value.unwrap_or_default()),
            _ => {}
        }
    }
    if let (true, Some(at)) = (scripts.is_empty(), operands.first()) {
        scripts.push(arguments[*at].clone());
    }
    let bad = scripts.iter().any(|script| text(script).is_none_or(|script| !super::sed::only_reads(script)));
    if bad { (ReadWrite, Some(0), "its script may write a file or run a command") } else { READS }
}

const AWK: Table = Table {
    short: "F:v:",
    long: "field-separator: assign: posix traditional re-interval version help csv",
    path_ends: false,
};

/// `awk` whose program neither writes a file nor runs a command.
pub(super) fn awk(arguments: &[Word]) -> Verdict {
    let words = behind("awk", arguments);
    let Ok(given) = scan("awk", &AWK, &words, 1) else { return writes(0, "an option that is not known to only read") };
    let Some(program) = words.get(given.rest) else { return READS };
    match text(program) {
        Some(program) if super::awk::only_reads(program) => READS,
        _ => writes(given.rest - 1, "this program may write a file or run a command"),
    }
}
