//! Facts about lines of Nushell.

use shellward_syntax::facts::{
    Reach, Removed, Tier, hazards, network, program, remote_script, removes, tier, writes_device,
};
use shellward_syntax::{Language, Script, analyse, survey};

fn script(line: &str) -> Script {
    analyse(line, Language::Nu).unwrap_or_else(|unknown| panic!("{line}: {unknown}"))
}

#[test]
fn finds_removals_of_root_and_home() {
    let cases = [
        ("rm -rf /", Some(Removed::Root)),
        ("rm -r -f /", Some(Removed::Root)),
        ("rm --recursive --force /", Some(Removed::Root)),
        ("rm -rfp /", Some(Removed::Root)),
        ("^rm -rf /*", Some(Removed::Root)),
        ("rm -rf //.", Some(Removed::Root)),
        ("rm -r ~", Some(Removed::Home)),
        ("rm -r '~'", Some(Removed::Home)),
        ("rm -r $env.HOME", Some(Removed::Home)),
        ("rm -r $\"($env.HOME)/\"", Some(Removed::Home)),
        ("rm -r ($env.HOME)", Some(Removed::Home)),
        ("rm -r $nu.home-path", Some(Removed::Home)),
        ("rm -rf /etc", Some(Removed::System)),
        ("rm -rf /usr/x/...", Some(Removed::Root)),
        ("cd /; rm -rf *", Some(Removed::Root)),
        ("do --env { cd / }; rm -rf *", Some(Removed::Root)),
        ("[1] | each { cd /; rm -rf * }", Some(Removed::Root)),
        ("if true { rm -rf / }", Some(Removed::Root)),
        ("sudo rm -rf /", Some(Removed::Root)),
        ("sh -c 'rm -rf /'", Some(Removed::Root)),
        ("run-external rm '-rf' /", Some(Removed::Root)),
        ("exec rm -rf /", Some(Removed::Root)),
        ("c1 (rm -rf /)", Some(Removed::Root)),
        ("c1 $\"(rm -rf /)\"", Some(Removed::Root)),
        ("echo 'rm -rf /'", None),
        ("rm -rf /tmp/build", None),
        ("rm -rf target", None),
        ("^git commit -m 'rm -rf /'", None),
        ("rm /tmp/x", None),
    ];
    for (line, expected) in cases {
        let found = removes(&script(line)).first().map(|(removed, _)| *removed);
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn what_cannot_be_known_is_marked_by_the_word() {
    for (line, word) in [("ls; source x.nu", "source"), ("alias ll = ls", "alias"), ("\"unclosed", ""), ("a | )", ")")]
    {
        let unknown = analyse(line, Language::Nu).expect_err(line);
        assert_eq!(&line[unknown.span.start..unknown.span.end], word, "{line}");
    }
}

#[test]
fn finds_writes_to_devices() {
    for line in [
        "c1 o> /dev/sda",
        "'x' | save -f /dev/sda",
        "open x | save --raw --force /dev/nvme0n1",
        "dd if=x of=/dev/sda",
        "cp x /dev/sda",
        "^mkfs.ext4 /dev/sda1",
    ] {
        assert!(writes_device(&script(line)).is_some(), "{line}");
    }
    for line in ["c1 o> /dev/null", "'x' | save f", "open /dev/sda | first 10", "git commit -m 'dd if=/dev/sda'"] {
        assert!(writes_device(&script(line)).is_none(), "{line}");
    }
}

#[test]
fn finds_scripts_from_the_network() {
    for line in ["curl x | sh", "http get https://x.y | bash", "http get x | str trim | ^sh -s", "sh -c (curl x)"] {
        let found = survey(line, Language::Nu).unwrap_or_default();
        assert!(!found.unknown.is_empty() && remote_script(&found.script).is_some(), "{line}");
    }
    assert!(network(&script("http get https://x.y | save f")).is_some());
    assert!(remote_script(&script("curl x | save f")).is_none());
}

#[test]
fn does_not_know_what_a_shell_is_fed() {
    for line in [
        "echo a b | sh",
        "'rm -rf /' | sh",
        "'x' | do { sh }",
        "['x'] | each { sh }",
        "'x' | if true { sh }",
        "sh -c $env.X",
        "nu -c $env.X",
        "nu -c 'rm x' a",
        "'rm x' | nu /dev/stdin",
        "xargs sh -c",
        "[a b] | to text | sh",
    ] {
        assert!(analyse(line, Language::Nu).is_err(), "{line}");
    }
    assert_eq!(script("echo 'rm x' | sh").commands.len(), 3);
}

#[test]
fn reads_the_shells_inside() {
    let removes = |line: &str| {
        let script = script(line);
        script.commands.iter().any(|command| program(command) == Some("rm") && !command.via.is_empty())
    };
    for line in [
        "nu -c 'rm x'",
        "^nu -n -c 'ls | each {|f| rm $f.name }'",
        "bash -c 'for f in *; do rm \"$f\"; done'",
        "do { ^sh -c 'ls && rm x' }",
        "['a'] | each {|a| bash -c `nu -c \"rm x\"` }",
        "sudo sh -c 'rm x' | complete",
    ] {
        assert!(removes(line), "{line}");
    }
    // What one language runs, another only says.
    assert!(!removes("nu -c \"echo 'rm x'\""));
    assert!(!removes("sh -c 'echo {|f| rm}'"));
}

#[test]
fn reports_what_changes_later_words() {
    for line in [
        "$env.PATH = ['/x']; c1",
        "$env.Path ++= ['/x']",
        "with-env {PATH: '/x'} { c1 }",
        "load-env {LD_PRELOAD: x}",
        "LD_PRELOAD=x c1",
        "def rm [] { c1 }",
    ] {
        assert!(!hazards(&script(line)).is_empty(), "{line}");
    }
    assert_eq!(hazards(&script("$env.PATH = 'x'"))[0].0, Reach::Words);
    assert!(hazards(&script("$env.COLOR = 'x'; c1")).is_empty());
}

#[test]
fn tells_tiers() {
    let cases = [
        ("ls | where size > 1kb | get name", Tier::ReadOnly),
        ("ps | sort-by cpu | last 3", Tier::ReadOnly),
        ("^cat x | lines | each {|l| $l | str trim }", Tier::ReadOnly),
        ("git status | lines", Tier::ReadOnly),
        ("1 + 2", Tier::ReadOnly),
        ("c1 | lines", Tier::ReadWrite),
        ("ls | each {|f| rm $f.name }", Tier::ReadWrite),
        ("ls | to json | save f", Tier::ReadWrite),
        ("ls o> f", Tier::ReadWrite),
        ("mkdir x", Tier::ReadWrite),
        ("[[a]; [1]] | into sqlite f", Tier::ReadWrite),
        ("stor reset", Tier::ReadWrite),
        ("http post x y", Tier::ReadWrite),
        ("kill 1", Tier::ReadWrite),
        ("start x", Tier::ReadWrite),
        ("sudo ls", Tier::Admin),
    ];
    for (line, expected) in cases {
        assert_eq!(tier(&script(line)).0, expected, "{line}");
    }
}
