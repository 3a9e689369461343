//! Programs that run the program named by their arguments, as data.

use super::options::Table;
use crate::text::pieces;

/// How a wrapper's words after its options and operands are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// As a program with its arguments.
    Program,
    /// Joined by blanks and given to a shell.
    Line,
    /// Each given to a shell.
    Lines,
}

/// A program that runs another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrapper {
    /// Its name, or name and subcommand (`uv run`).
    pub name: &'static str,
    /// The options before the inner program.
    pub options: Table,
    /// Options with which it runs nothing.
    pub idle: &'static str,
    /// Options whose value is a line for a shell.
    pub line: &'static str,
    /// How many words stand before the inner program.
    pub operands: usize,
    /// Whether `NAME=value` words before the inner program set its environment.
    pub assigns: bool,
    /// How the rest is run.
    pub runs: Runs,
    /// Whether the inner command runs in the shell itself, so that its `cd` counts.
    pub here: bool,
    /// Options with which it runs a shell on its input when it is given no program; `*` where it always does.
    pub shell: &'static str,
    /// Whether a word may stand before its options.
    pub late: bool,
}

/// An entry of the table: name, long options, and the rest, which is read when the name is met. Kept as text an entry
/// takes half the room.
///
/// The rest is the options' letters, and after each `;` something else of [`Wrapper`]: `idle` and `line` with their
/// options, `shell` with options or `*`, `after one word` (operands), `late options`, `assigns`, `here`, `joined` (one
/// line) or `each` (several lines).
type Entry = (&'static str, &'static str, &'static str);

impl Wrapper {
    /// Reads an entry.
    pub(crate) fn read((name, long, rest): &Entry) -> Self {
        let mut words = pieces(rest, b';');
        let short = words.next().unwrap_or_default();
        let mut wrapper = Self {
            name,
            options: Table { short, long, path_ends: false },
            idle: "",
            line: "",
            operands: 0,
            assigns: false,
            runs: Runs::Program,
            here: false,
            shell: "",
            late: false,
        };
        for word in words {
            match word.get(..6) {
                Some(" idle ") => wrapper.idle = &word[6..],
                Some(" line ") => wrapper.line = &word[6..],
                Some(" shell") => wrapper.shell = &word[7..],
                Some(" after") => wrapper.operands = 1,
                Some(" late ") => wrapper.late = true,
                Some(" assig") => wrapper.assigns = true,
                Some(" joine") => wrapper.runs = Runs::Line,
                _ if word == " each" => wrapper.runs = Runs::Lines,
                _ => wrapper.here = true,
            }
        }
        wrapper
    }
}

/// Wrappers whose options a table describes fully; those with rules of their own have files of their own.
pub(crate) const WRAPPERS: &[Entry] = &[
    // The shell's own.
    ("command", "", "pvV; idle v V; here"),
    ("builtin", "", "; here"),
    ("exec", "", "cla:"),
    ("nocorrect", "", ""),
    ("noglob", "", ""),
    // Privilege.
    (
        "sudo",
        SUDO,
        "ABbEeHiKklnPSsVvNg:u:C:D:p:R:r:T:t:U:c:a:; assigns; idle K l V v e edit list version validate \
            remove-timestamp help; shell s i login shell",
    ),
    ("doas", "", "LnsC:u:a:; idle C; assigns; shell s"),
    ("pkexec", "user: disable-internal-agent keep-cwd help version", "; idle help version"),
    ("gosu", "", ""),
    ("su-exec", "", ""),
    ("runuser", "user: group: supp-group: login preserve-environment pty", "u:g:G:lmpP"),
    ("setpriv", SETPRIV, ""),
    // Environment, time, priority, streams.
    ("env", ENV, "i0vu:C:a:; assigns"),
    ("nohup", HELP, "; idle help version"),
    ("nice", "adjustment: help version", "n:0123456789; idle help version"),
    ("ionice", "class: classdata: ignore help version", "c:n:tpPuhV; idle p P u h V"),
    ("timeout", TIMEOUT, "k:s:vfp; idle help version; after one word"),
    ("gtimeout", TIMEOUT, "k:s:vfp; idle help version; after one word"),
    ("time", "portability format: output: append verbose quiet", "pvalhqVf:o:"),
    ("gtime", "portability format: output: append verbose quiet", "pvahqVf:o:"),
    ("stdbuf", "input: output: error: help version", "i:o:e:; idle help version"),
    ("setsid", "ctty fork wait", "cfw"),
    ("unbuffer", "", "p"),
    ("arch", "", "arm64x8_i32e:d:"),
    ("caffeinate", "", "dimsut:w:"),
    ("chronic", "", "ve"),
    ("chrt", "batch fifo idle other rr reset-on-fork", "abdefioRrvmpT:P:D:; idle p m; after one word"),
    ("taskset", "all-tasks cpu-list pid", "acp; idle p; after one word"),
    ("numactl", "all interleave: membind: cpunodebind: physcpubind: localalloc", "aibm:N:C:p:l"),
    ("fakeroot", "lib: faked: unknown-is-real fd-base:", "hvui:s:b:l:; idle h v; shell *"),
    ("dbus-run-session", "config-file: dbus-daemon:", ""),
    ("setarch", SETARCH, "BFILRSTXZ3vhV; late options; shell *; idle h V list help version show"),
    ("linux32", SETARCH, SETARCH_SHORT),
    ("linux64", SETARCH, SETARCH_SHORT),
    ("i386", SETARCH, SETARCH_SHORT),
    ("x86_64", SETARCH, SETARCH_SHORT),
    ("prlimit", PRLIMIT, "p:o:c::d::e::f::i::l::m::n::q::r::s::t::u::v::x::y::hV; idle p pid h V help version"),
    ("choom", "adjust: pid: help version", "n:p:hV; idle p pid"),
    ("logsave", "", "asv; after one word"),
    ("ssh-agent", "", "csDdkTua:E:O:P:t:; idle k"),
    ("sg", "", "c:; line c; after one word; shell *; joined"),
    ("newgrp", "", "; after one word; shell *"),
    ("ld.so", LOADER, "; idle list verify list-tunables list-diagnostics help version"),
    ("sem", "id: jobs: fg bg wait semaphore-timeout: st: no-notice will-cite", "j:u; idle wait; joined"),
    ("ip netns exec", "", "; after one word"),
    ("ip vrf exec", "", "; after one word"),
    ("cross-env", "", "; assigns"),
    ("watchexec", WATCHEXEC, "w:e:f:i:d:s:rcnp1NqvW:o:; joined"),
    ("asdf exec", "", ""),
    ("xvfb-run", "auto-servernum error-file: auth-file: server-num: server-args: wait:", "ae:f:ln:p:s:w:"),
    ("chroot", "groups: userspec: skip-chdir", "; after one word; shell *"),
    ("unshare", UNSHARE, "imnpuUCTfrc; shell *"),
    ("nsenter", NSENTER, "at:m::u::i::n::p::U::C::T::S:G:r::w::F; shell *"),
    ("systemd-run", SYSTEMD_RUN, "dGHM:p:E:tqPSru:; shell S shell"),
    ("systemd-inhibit", "what: who: why: mode:", ""),
    ("firejail", "quiet noprofile private? net: profile: whitelist: noroot seccomp caps.drop:", "; shell *"),
    // Tracing.
    ("strace", "follow-forks trace: output: summary-only", "cCdDfFhiknqrtTvVwxXyYzZa:b:e:E:I:o:O:p:P:s:S:u:U:"),
    ("ltrace", "output:", "bcCfhiLrStTVe:a:A:D:F:l:n:o:p:s:u:w:x:X:"),
    ("valgrind", VALGRIND, "qv"),
    ("hyperfine", HYPERFINE, "iNw:m:M:r:c:p:s:S:n:u:L:P:D:; line p c s setup prepare conclude cleanup; each"),
    // Repeating.
    ("watch", WATCH, "bcdefgtvhprwxCn:q:s:; idle h v help version; joined"),
    ("entr", "", "acdnprxz"),
    ("flock", FLOCK, "sxnueFoEvw:E:c:; line c command; after one word"),
    ("script", SCRIPT, "aefqc:E:I:O:B:T:t::m:o:; line c command; after one word; shell *"),
    ("sshpass", "", "ef:d:p:P:vhV"),
    // Runners of a project's tools.
    ("uv run", UV, "qvnsp:w:m:; idle m module"),
    ("uvx", UV, "qvnp:w:"),
    ("uv tool run", UV, "qvnp:w:"),
    ("poetry run", "quiet no-interaction no-plugins", "qvn"),
    ("pipenv run", "", ""),
    ("pdm run", "verbose quiet site-packages project:", "vqsp:"),
    ("hatch run", "", ""),
    ("rye run", "", "vqlf"),
    ("pipx run", "spec: verbose quiet no-cache python: pypackages with:", "qv"),
    ("bundle exec", "keep-file-descriptors gemfile:", ""),
    ("npx", NPX, "yqp:c:; line c call"),
    ("npm exec", NPX, "yp:c:; line c call"),
    ("npm x", NPX, "yp:c:; line c call"),
    ("pnpm exec", "recursive parallel shell-mode resume-from: report-summary", "rcC:"),
    ("pnpm dlx", "package: shell-mode silent", "c"),
    ("pnpx", "package:", ""),
    ("yarn exec", "", "q"),
    ("yarn dlx", "package: quiet", "qp:"),
    ("bunx", "bun silent verbose", ""),
    ("bun x", "bun silent verbose", ""),
    ("conda run", "name: prefix: live-stream no-capture-output cwd: verbose", "vn:p:"),
    ("mamba run", "name: prefix: live-stream cwd:", "vn:p:"),
    ("direnv exec", "", "; after one word"),
    ("rtk", "ultra-compact verbose skip-env", "uv"),
    ("rustup run", "install", "; after one word"),
    ("nix-shell", "run: command: pure packages: attr: keep: impure", "p:iA:I:j:Q; line run command; shell *"),
    ("perf stat", "repeat: event: output: detailed all-cpus", "adBgie:o:p:r:t:vx:"),
    ("perf record", "call-graph: event: output: freq:", "agF:e:o:p:qt:v"),
];

/// Options that programs take before the subcommand with which they are a wrapper.
pub(crate) const OWN: &[Entry] = &[
    ("npm", "prefix: workspace: workspaces silent quiet include-workspace-root", "w:sC:"),
    (
        "pnpm",
        "filter: filter-prod: dir: workspace-root recursive silent fail-if-no-match workspace-concurrency: stream \
            parallel",
        "F:C:wrs",
    ),
    ("yarn", "cwd: silent", "s"),
    ("uv", UV, "qvnp:"),
    ("poetry", "directory: project: quiet no-interaction no-plugins no-ansi ansi no-cache verbose", "C:P:qnv"),
    ("pipenv", "quiet verbose", "qv"),
    ("pdm", "config: verbose quiet", "c:vq"),
    ("hatch", "env: project: verbose quiet no-color color no-interactive", "e:p:vq"),
    ("bundle", "gemfile: no-color verbose", "V"),
    ("bun", "cwd: bun silent", "b"),
    ("ip", "", "46B0Vhsdrtapcjobl"),
];

const HYPERFINE: &str = "warmup: runs: min-runs: max-runs: setup: prepare: conclude: cleanup: shell: ignore-failure export-json: \
    export-markdown: export-csv: show-output style: command-name: time-unit: input: output: parameter-list: parameter-scan: \
    parameter-step-size:";
const HELP: &str = "help version";
const ENV: &str = "ignore-environment null unset: chdir: debug argv0: block-signal? default-signal? ignore-signal? \
    list-signal-handling split-string:";
const TIMEOUT: &str = "kill-after: signal: verbose foreground preserve-status help version";
const SUDO: &str = "askpass background close-from: chdir: preserve-env? edit group: set-home help host: login \
    remove-timestamp reset-timestamp list non-interactive preserve-groups prompt: chroot: role: stdin shell type: \
    command-timeout: other-user: user: version validate no-update bell";
const SETPRIV: &str = "no-new-privs nnp reuid: regid: ruid: euid: rgid: egid: clear-groups keep-groups init-groups groups: \
    reset-env inh-caps: ambient-caps: bounding-set: pdeathsig:";
const SETARCH: &str = "32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds \
    sticky-timeouts read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose list help version show?";
const SETARCH_SHORT: &str = "BFILRSTXZ3vhV; shell *; idle h V list help version show";
const PRLIMIT: &str = "pid: output: noheadings raw verbose help version core? data? nice? fsize? sigpending? memlock? rss? \
    nofile? msgqueue? rtprio? stack? cpu? nproc? as? locks? rttime?";
const WATCHEXEC: &str = "watch: watch-non-recursive: exts: filter: ignore: debounce: signal: restart clear? notify postpone once \
    shell: no-vcs-ignore no-project-ignore no-global-ignore no-default-ignore on-busy-update: stop-signal: stop-timeout: \
    delay-run: poll? no-meta print-events workdir: env: project-origin: quiet verbose color: timings";
const LOADER: &str = "list verify inhibit-cache library-path: glibc-hwcaps-prepend: glibc-hwcaps-mask: inhibit-rpath: audit: \
    preload: argv0: list-tunables list-diagnostics help version";
const UNSHARE: &str = "ipc? mount? net? pid? uts? user? cgroup? time? fork map-root-user mount-proc? map-current-user kill-child? \
    propagation: root: wd:";
const NSENTER: &str = "all target: mount? uts? ipc? net? pid? user? cgroup? time? setuid: setgid: root? wd? no-fork \
    preserve-credentials";
const SYSTEMD_RUN: &str = "user system scope unit: property: description: slice: remain-after-exit send-sighup service-type: uid: gid: \
    nice: working-directory: same-dir setenv: pty pipe quiet collect wait no-block shell on-active: on-boot: \
    on-calendar:";
const VALGRIND: &str = "tool: leak-check: show-leak-kinds: track-origins: error-exitcode: log-file: quiet verbose suppressions: \
    gen-suppressions: trace-children: num-callers: callgrind-out-file: massif-out-file:";
const WATCH: &str = "beep color differences? errexit chgexit interval: no-title exec precise no-wrap no-rerun equexit: help \
    version";
const FLOCK: &str =
    "shared exclusive unlock nonblock nb timeout: wait: conflict-exit-code: close command: no-fork verbose";
const SCRIPT: &str = "append command: return flush force quiet echo: log-in: log-out: log-io: log-timing: timing? output-limit: \
    logging-format:";
const UV: &str = "active all-extras all-groups all-packages color: config-file: default-index: dev directory: env-file: exact \
    extra: find-links: from: frozen group: index: index-url: isolated locked managed-python module: no-cache \
    no-config no-default-groups no-dev no-editable no-env-file no-extra: no-group: no-index no-progress \
    no-project no-python-downloads no-sync offline only-dev only-group: package: prerelease: project: python: \
    quiet refresh reinstall resolution: script upgrade verbose with: with-editable: with-requirements:";
const NPX: &str = "yes no package: call: quiet silent prefer-offline ignore-existing no-install workspace: workspaces";
