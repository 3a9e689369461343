//! `shellward doctor`: what this machine offers, and how to get what is missing.

use std::fs;

use serde_json::{Map, Value, json};
use shellward::process::{Containment, Mechanism, NoLimitMark, try_terminal};

use super::arguments::{Doctor, Shared};
use super::error::{CliError, Exit};
use super::{output, setup};

/// Shells that policies may ask for.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "nu"];

/// One thing that was looked at.
struct Finding {
    name: &'static str,
    good: bool,
    state: String,
    /// What to do where it is not good.
    advice: Option<&'static str>,
}

pub(super) fn doctor(shared: &Shared, doctor: &Doctor) -> Result<Exit, CliError> {
    let findings = look(shared);
    if doctor.json {
        let rows = findings.iter().map(|finding| {
            (finding.name.to_owned(), json!({"good": finding.good, "state": finding.state, "advice": finding.advice}))
        });
        output::json(&Value::Object(rows.collect::<Map<_, _>>()))?;
    } else {
        output::text(&findings.iter().map(line).collect::<String>())?;
    }
    Ok(if findings.iter().all(|finding| finding.good) { Exit::Success } else { Exit::Failure })
}

fn line(finding: &Finding) -> String {
    let sign = if finding.good { "ok" } else { "--" };
    let advice = finding.advice.map(|advice| format!("\n                 {advice}")).unwrap_or_default();
    format!("{sign} {:<14}{}{advice}\n", finding.name, finding.state)
}

fn look(shared: &Shared) -> Vec<Finding> {
    let containment = Containment::detect();
    let mut findings = vec![
        finding_processes(&containment),
        cgroup(&containment),
        plain(
            "pidfd",
            containment.pidfd,
            "processes are held by descriptor",
            "needs Linux 5.3; the host cannot work without",
        ),
        plain("process table", containment.process_table, "/proc shows other processes", "mount /proc without hidepid"),
        landlock(),
        user_namespaces(),
        sandbox(),
    ];
    findings.push(containers(shared));
    findings.push(terminals());
    findings.extend(SHELLS.map(shell));
    findings.push(cache(shared));
    findings
}

fn plain(name: &'static str, good: bool, state: &str, advice: &'static str) -> Finding {
    let state = if good { state.to_owned() } else { "missing".to_owned() };
    Finding { name, good, state, advice: (!good).then_some(advice) }
}

/// By what the processes of a job are found again, however they hide.
fn finding_processes(containment: &Containment) -> Finding {
    let (good, state, advice) = match containment.mechanism {
        Mechanism::LimitMark => (true, "a mark that no process can take off", None),
        Mechanism::Kinship(NoLimitMark::TooDeep) => (
            false,
            "by environment and kinship only",
            Some("this runs in a job of a host that is in a job itself; run it outside"),
        ),
        Mechanism::Kinship(NoLimitMark::OwnLimit) => (
            false,
            "by environment and kinship only",
            Some("lift the limit on realtime CPU time (`ulimit -R unlimited`)"),
        ),
    };
    Finding { name: "processes", good, state: state.to_owned(), advice }
}

fn cgroup(containment: &Containment) -> Finding {
    match &containment.cgroup {
        Some(place) => Finding { name: "cgroup v2", good: true, state: place.display().to_string(), advice: None },
        None => Finding {
            name: "cgroup v2",
            good: true,
            state: "not used: this host may not make any; marks are used alone".to_owned(),
            advice: None,
        },
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

fn landlock() -> Finding {
    let modules = read("/sys/kernel/security/lsm");
    let state = match &modules {
        Some(list) if list.split(',').any(|module| module == "landlock") => "on",
        Some(_) => "off; nothing here needs it yet",
        None => "cannot be told; nothing here needs it yet",
    };
    Finding { name: "landlock", good: true, state: state.to_owned(), advice: None }
}

fn user_namespaces() -> Finding {
    let most = read("/proc/sys/user/max_user_namespaces").and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let forbidden = read("/proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0");
    let state = if most > 0 && !forbidden { "on" } else { "off; sandboxes need them, unless root makes them" };
    Finding { name: "namespaces", good: true, state: state.to_owned(), advice: None }
}

/// What makes sandboxes, for policies that ask for them.
fn sandbox() -> Finding {
    let finding = |good, state: &str, advice| Finding { name: "sandbox", good, state: state.to_owned(), advice };
    // It ends by itself at once, and nothing it could do outlasts it.
    let tried = std::process::Command::new("bwrap")
        .args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--unshare-net", "true"])
        .stdin(std::process::Stdio::null())
        .output();
    match tried {
        Ok(output) if output.status.success() => finding(true, "bubblewrap makes sandboxes", None),
        Ok(output) => {
            let words = String::from_utf8_lossy(&output.stderr);
            let state = format!("bubblewrap cannot make any: {}", words.trim());
            finding(false, &state, Some("let users make namespaces (kernel.apparmor_restrict_unprivileged_userns=0)"))
        }
        Err(_) => finding(
            true,
            "none: bubblewrap is not installed",
            Some("install it (`apt-get install bubblewrap`) for policies that fence commands in"),
        ),
    }
}

/// What makes containers, for policies that ask for them; with the images that the settings name.
fn containers(shared: &Shared) -> Finding {
    let finding = |good, state, advice| Finding { name: "containers", good, state, advice };
    let images = match setup::containers(shared) {
        Ok(images) => images,
        Err(error) => return finding(false, error.to_string(), Some("correct the settings")),
    };
    let wanted = !images.is_empty();
    match shellward::try_containers(&images) {
        Ok(version) if wanted => {
            let names: Vec<_> = images.keys().map(String::as_str).collect();
            finding(true, format!("docker {version} makes them: {}", names.join(", ")), None)
        }
        Ok(version) => {
            let advice = "name images in [host.containers] for policies that run commands in them";
            finding(true, format!("docker {version} could make them"), Some(advice))
        }
        Err(why) => finding(!wanted, format!("none: {why}"), None),
    }
}

/// Whether commands can have a terminal.
fn terminals() -> Finding {
    let (good, state) = match try_terminal() {
        Ok(()) => (true, "can be made; what waits for input is noticed".to_owned()),
        Err(error) => (false, format!("cannot be made: {error}")),
    };
    let advice = "mount a devpts file system at /dev/pts, or raise /proc/sys/kernel/pty/max";
    Finding { name: "terminals", good, state, advice: (!good).then_some(advice) }
}

/// The shells that can last from one command to the next.
const LASTING: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// A shell in `PATH`. Only `sh` must be there.
fn shell(name: &'static str) -> Finding {
    let found = std::env::var_os("PATH")
        .and_then(|search| std::env::split_paths(&search).map(|entry| entry.join(name)).find(|path| path.is_file()));
    match found {
        Some(path) => {
            let lasts = if LASTING.contains(&name) { ", also as a lasting shell" } else { "" };
            Finding { name, good: true, state: format!("{}{lasts}", path.display()), advice: None }
        }
        None => Finding {
            name,
            good: name != "sh",
            state: "not in PATH".to_owned(),
            advice: match name {
                "nu" => Some("install Nushell from https://nushell.sh for policies that run it; they fall back to sh"),
                "sh" => Some("no command can be run without it"),
                _ => None,
            },
        },
    }
}

fn cache(shared: &Shared) -> Finding {
    match setup::cache(shared) {
        Some(cache) => {
            Finding { name: "cache", good: true, state: cache.directory().display().to_string(), advice: None }
        }
        None => Finding {
            name: "cache",
            good: false,
            state: "none: policies are compiled at each start".to_owned(),
            advice: Some(
                "set HOME or XDG_CACHE_HOME to a directory of yours, and see the warning above if there is one",
            ),
        },
    }
}
