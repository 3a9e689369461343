//! Programs that run the program named by their arguments, as data.

use super::options::Table;

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
}

const fn plain(name: &'static str, short: &'static str, long: &'static str) -> Wrapper {
    Wrapper {
        name,
        options: Table { short, long, path_ends: false },
        idle: "",
        line: "",
        operands: 0,
        assigns: false,
        runs: Runs::Program,
        here: false,
    }
}

const fn after(operands: usize, wrapper: Wrapper) -> Wrapper {
    Wrapper { operands, ..wrapper }
}

const fn idle(idle: &'static str, wrapper: Wrapper) -> Wrapper {
    Wrapper { idle, ..wrapper }
}

const fn line(line: &'static str, wrapper: Wrapper) -> Wrapper {
    Wrapper { line, ..wrapper }
}

const fn assigning(wrapper: Wrapper) -> Wrapper {
    Wrapper { assigns: true, ..wrapper }
}

const fn here(wrapper: Wrapper) -> Wrapper {
    Wrapper { here: true, ..wrapper }
}

const fn joined(wrapper: Wrapper) -> Wrapper {
    Wrapper { runs: Runs::Line, ..wrapper }
}

const fn lines(wrapper: Wrapper) -> Wrapper {
    Wrapper { runs: Runs::Lines, ..wrapper }
}

/// Wrappers whose options a table describes fully; those with rules of their own have files of their own.
pub(crate) const WRAPPERS: &[Wrapper] = &[
    // The shell's own.
    here(idle("v V", plain("command", "pvV", ""))),
    here(plain("builtin", "", "")),
    plain("exec", "cla:", ""),
    plain("nocorrect", "", ""),
    plain("noglob", "", ""),
    // Privilege.
    SUDO,
    assigning(idle("C", plain("doas", "LnsC:u:a:", ""))),
    idle("help version", plain("pkexec", "", "user: disable-internal-agent keep-cwd help version")),
    plain("gosu", "", ""),
    plain("su-exec", "", ""),
    after(0, plain("runuser", "u:g:G:lmpP", "user: group: supp-group: login preserve-environment pty")),
    plain("setpriv", "", SETPRIV),
    // Environment, time, priority, streams.
    assigning(plain("env", "i0vu:C:a:", ENV)),
    idle("help version", plain("nohup", "", HELP)),
    idle("help version", plain("nice", "n:0123456789", "adjustment: help version")),
    idle("p P u h V", plain("ionice", "c:n:tpPuhV", "class: classdata: ignore help version")),
    idle("help version", after(1, plain("timeout", "k:s:vfp", TIMEOUT))),
    idle("help version", after(1, plain("gtimeout", "k:s:vfp", TIMEOUT))),
    plain("time", "pvalhqVf:o:", "portability format: output: append verbose quiet"),
    plain("gtime", "pvahqVf:o:", "portability format: output: append verbose quiet"),
    idle("help version", plain("stdbuf", "i:o:e:", "input: output: error: help version")),
    plain("setsid", "cfw", "ctty fork wait"),
    plain("unbuffer", "p", ""),
    plain("arch", "arm64x8_i32e:d:", ""),
    plain("caffeinate", "dimsut:w:", ""),
    plain("chronic", "ve", ""),
    idle("p m", after(1, plain("chrt", "abdefioRrvmpT:P:D:", "batch fifo idle other rr reset-on-fork"))),
    idle("p", after(1, plain("taskset", "acp", "all-tasks cpu-list pid"))),
    plain("numactl", "aibm:N:C:p:l", "all interleave: membind: cpunodebind: physcpubind: localalloc"),
    plain("fakeroot", "hvui:s:b:l:", "lib: faked: unknown-is-real fd-base:"),
    plain("dbus-run-session", "", "config-file: dbus-daemon:"),
    plain("xvfb-run", "ae:f:ln:p:s:w:", "auto-servernum error-file: auth-file: server-num: server-args: wait:"),
    after(1, plain("chroot", "", "groups: userspec: skip-chdir")),
    plain("unshare", "imnpuUCTfrc", UNSHARE),
    plain("nsenter", "at:m::u::i::n::p::U::C::T::S:G:r::w::F", NSENTER),
    plain("systemd-run", "dGHM:p:E:tqPSru:", SYSTEMD_RUN),
    plain("systemd-inhibit", "", "what: who: why: mode:"),
    plain("firejail", "", "quiet noprofile private? net: profile: whitelist: noroot seccomp caps.drop:"),
    // Tracing.
    plain("strace", "cCdDfFhiknqrtTvVwxXyYzZa:b:e:E:I:o:O:p:P:s:S:u:U:", "follow-forks trace: output: summary-only"),
    plain("ltrace", "bcCfhiLrStTVe:a:A:D:F:l:n:o:p:s:u:w:x:X:", "output:"),
    plain("valgrind", "qv", VALGRIND),
    lines(line(HYPERFINE_LINES, plain("hyperfine", "iNw:m:M:r:c:p:s:S:n:u:", HYPERFINE))),
    // Repeating.
    idle("h v help version", joined(plain("watch", "bcdefgtvhprwxCn:q:s:", WATCH))),
    plain("entr", "acdnprxz", ""),
    after(1, line("c command", plain("flock", "sxnueFoEvw:E:c:", FLOCK))),
    line("c command", after(1, plain("script", "aefqc:E:I:O:B:T:t::m:o:", SCRIPT))),
    after(0, plain("sshpass", "ef:d:p:P:vhV", "")),
    // Runners of a project's tools.
    idle("m module", plain("uv run", "qvnsp:w:m:", UV)),
    plain("uvx", "qvnp:w:", UV),
    plain("uv tool run", "qvnp:w:", UV),
    plain("poetry run", "qvn", "quiet no-interaction no-plugins"),
    plain("pipenv run", "", ""),
    plain("pdm run", "vqsp:", "verbose quiet site-packages project:"),
    plain("hatch run", "", ""),
    plain("rye run", "vqlf", ""),
    plain("pipx run", "qv", "spec: verbose quiet no-cache python: pypackages with:"),
    plain("bundle exec", "", "keep-file-descriptors gemfile:"),
    line("c call", plain("npx", "yqp:c:", NPX)),
    line("c call", plain("npm exec", "yp:c:", NPX)),
    line("c call", plain("npm x", "yp:c:", NPX)),
    plain("pnpm exec", "rcC:", "recursive parallel shell-mode resume-from: report-summary"),
    plain("pnpm dlx", "c", "package: shell-mode silent"),
    plain("pnpx", "", "package:"),
    plain("yarn exec", "q", ""),
    plain("yarn dlx", "qp:", "package: quiet"),
    plain("bunx", "", "bun silent verbose"),
    plain("bun x", "", "bun silent verbose"),
    plain("conda run", "vn:p:", "name: prefix: live-stream no-capture-output cwd: verbose"),
    plain("mamba run", "vn:p:", "name: prefix: live-stream cwd:"),
    after(1, plain("direnv exec", "", "")),
    plain("rtk", "uv", "ultra-compact verbose skip-env"),
    after(1, plain("rustup run", "", "install")),
    line("run command", plain("nix-shell", "p:iA:I:j:Q", "run: command: pure packages: attr: keep: impure")),
    plain("perf stat", "adBgie:o:p:r:t:vx:", "repeat: event: output: detailed all-cpus"),
    plain("perf record", "agF:e:o:p:qt:v", "call-graph: event: output: freq:"),
];

const HYPERFINE: &str = "warmup: runs: min-runs: max-runs: setup: prepare: conclude: cleanup: shell: ignore-failure export-json: \
    export-markdown: export-csv: show-output style: command-name: time-unit: input: output:";
const HYPERFINE_LINES: &str = "p c s setup prepare conclude cleanup";
const HELP: &str = "help version";
const ENV: &str = "ignore-environment null unset: chdir: debug argv0: block-signal? default-signal? ignore-signal? \
    list-signal-handling split-string:";
const TIMEOUT: &str = "kill-after: signal: verbose foreground preserve-status help version";
const SUDO: Wrapper = Wrapper {
    assigns: true,
    idle: "K l V v e edit list version validate remove-timestamp help",
    ..plain(
        "sudo",
        "ABbEeHiKklnPSsVvNg:u:C:D:p:R:r:T:t:U:c:a:",
        "askpass background close-from: chdir: preserve-env? edit group: set-home help host: login \
            remove-timestamp reset-timestamp list non-interactive preserve-groups prompt: chroot: role: stdin \
            shell type: command-timeout: other-user: user: version validate no-update bell",
    )
};
const SETPRIV: &str = "no-new-privs nnp reuid: regid: ruid: euid: rgid: egid: clear-groups keep-groups init-groups groups: \
    reset-env inh-caps: ambient-caps: bounding-set: pdeathsig:";
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
