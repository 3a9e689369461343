//! Counts what reading and judging cost: `guest/syntax/costs` (with callgrind; times say little on a busy machine).
//!
//! `costs NUMBER BYTES` reads one text of the table once, analyses it and asks every fact about it, inside `counted`.
//! Each text is one piece repeated, so that 256 KiB should cost 256 times what 1 KiB does. Without words it says how
//! many texts there are.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for whoever works on this crate")]

use std::hint::black_box;

use shellward_syntax::facts::{self, INTERACTIVE};
use shellward_syntax::{Language, Script, survey};

/// What can be asked of a script, with its name.
type Fact = (&'static str, fn(&Script));

const FACTS: &[Fact] = &[
    ("directories", |script| drop(black_box(facts::directories(script)))),
    ("removes", |script| drop(black_box(facts::removes(script)))),
    ("writes_device", |script| drop(black_box(facts::writes_device(script)))),
    ("hazards", |script| drop(black_box(facts::hazards(script)))),
    ("network", |script| drop(black_box(facts::network(script)))),
    ("remote_script", |script| drop(black_box(facts::remote_script(script)))),
    ("interactive", |script| drop(black_box(facts::interactive(script, INTERACTIVE)))),
    ("tier", |script| drop(black_box(facts::tier(script)))),
];

/// What stands before the pieces, the piece, what stands after them, and the language.
type Text = (&'static str, &'static str, &'static str, Language);

const TEXTS: &[Text] = &[
    ("", "cd a;", "", Language::Bash),
    ("", "cd ..\n", "", Language::Bash),
    ("", "cd a/../b\n", "", Language::Bash),
    ("", "cd /;", "", Language::Bash),
    ("", "cd -;", "", Language::Bash),
    ("", "pushd a;", "", Language::Bash),
    ("", "pushd a;popd;", "", Language::Bash),
    ("cd a;", "(cd b);", "", Language::Bash),
    ("cd a;", "(a);", "", Language::Bash),
    ("", "cd a;(rm -rf *);", "", Language::Bash),
    ("cd /;", "rm -rf *;", "", Language::Bash),
    ("", "cd /;rm -rf a;", "", Language::Bash),
    ("", "f() { cd /; };", "", Language::Bash),
    ("", "while cd ..;do rm -rf a;done;", "", Language::Bash),
    ("rm", " -rf a", "", Language::Bash),
    ("rm -rf", " $x", "", Language::Bash),
    ("cd /dev;tee", " a", "", Language::Bash),
    ("", "dd of=a;", "", Language::Bash),
    ("", "a >f;", "", Language::Bash),
    ("", "curl x|sh;", "", Language::Bash),
    ("", "curl x|", "sh", Language::Bash),
    ("", "curl x;", "", Language::Bash),
    ("", "bash -c \"$(curl x)\";", "", Language::Bash),
    ("", "a $(curl x);", "", Language::Bash),
    ("bash -c \"", "$(curl x)", "\"", Language::Bash),
    ("eval", " \"$(curl x)\"", "", Language::Bash),
    ("bash <(", "curl x;", ")", Language::Bash),
    ("bash", " <(curl x)", "", Language::Bash),
    ("", "bash <<<$(wget x);", "", Language::Bash),
    ("", "A=1 ", "", Language::Bash),
    ("", "HOME=1;", "", Language::Bash),
    ("", "export A=1 HOME=2;", "", Language::Bash),
    ("export", " A=1", "", Language::Bash),
    ("", "alias a=b;", "", Language::Bash),
    ("", "f() { a; };", "", Language::Bash),
    ("", "ls() { a; };", "", Language::Bash),
    ("ls() { a; };", "ls;", "", Language::Bash),
    ("", "f() { ls; };f;", "", Language::Bash),
    ("", "a|", "a", Language::Bash),
    ("", "a|b;", "", Language::Bash),
    ("", "vim|less;", "", Language::Bash),
    ("", "git commit;", "", Language::Bash),
    ("git", " -c a=b", " log", Language::Bash),
    ("git log", " a", "", Language::Bash),
    ("", "git -c alias.a=log a;", "", Language::Bash),
    ("git rebase", " -x a", "", Language::Bash),
    ("", "sudo a;", "", Language::Bash),
    ("sudo", " -E", " a", Language::Bash),
    ("env", " A=1", " a", Language::Bash),
    ("env -S '", "a ", "'", Language::Bash),
    ("", "env -S 'a b' c;", "", Language::Bash),
    ("", "timeout 5 nice a;", "", Language::Bash),
    ("", "timeout 5 nice rm -rf a;", "", Language::Bash),
    ("", "sh -c 'a';", "", Language::Bash),
    ("sh -c '", "a;", "'", Language::Bash),
    ("bash -c '", "sh -c \"a\";", "'", Language::Bash),
    ("sh -c '", "cd a;", "'", Language::Bash),
    ("bash -c '", "f() { a; };", "'", Language::Bash),
    ("bash -c '", "a $(b);", "'", Language::Bash),
    ("", "echo a|sh;", "", Language::Bash),
    ("echo", " a", "|sh", Language::Bash),
    ("printf '%s\\n'", " a", "|sh", Language::Bash),
    ("sh <<E\n", "a\n", "E\n", Language::Bash),
    ("", "sh <<E\na\nE\n", "", Language::Bash),
    ("", "eval a;", "", Language::Bash),
    ("eval", " a", "", Language::Bash),
    ("eval '", "eval a;", "'", Language::Bash),
    ("", "trap a EXIT;", "", Language::Bash),
    ("trap '", "a;", "' EXIT", Language::Bash),
    ("find .", " -name a", "", Language::Bash),
    ("find .", " -exec a \\;", "", Language::Bash),
    ("find .", " -exec rm -rf {} \\;", "", Language::Bash),
    ("find", " a", " -delete", Language::Bash),
    ("", "find / -delete;", "", Language::Bash),
    ("xargs a", " b", "", Language::Bash),
    ("echo", " a", "|xargs rm", Language::Bash),
    ("", "echo a|xargs rm;", "", Language::Bash),
    ("parallel a :::", " b", "", Language::Bash),
    ("parallel :::", " 'a b'", "", Language::Bash),
    ("hyperfine", " 'a b'", "", Language::Bash),
    ("watch", " a", "", Language::Bash),
    ("", "ssh h a;", "", Language::Bash),
    ("ssh h", " a", "", Language::Bash),
    ("tar", " -I a", "", Language::Bash),
    ("tar cf", " a", "", Language::Bash),
    ("sed", " -e p", " a", Language::Bash),
    ("sed '", "p;", "' a", Language::Bash),
    ("sed", " a", "", Language::Bash),
    ("awk '", "{print}", "' a", Language::Bash),
    ("curl", " -s", " a", Language::Bash),
    ("sort", " -n", "", Language::Bash),
    ("docker", " -D", " ps", Language::Bash),
    ("", "x=$((i));", "", Language::Bash),
    ("", "'a'\"b\"", "", Language::Bash),
    ("a ", "{b,c} ", "", Language::Bash),
    ("{ ", "a;", "}", Language::Bash),
    ("if a;then ", "cd b;rm -rf *;", "fi", Language::Bash),
    ("f() { ", "cd b;rm -rf *;", "}", Language::Bash),
    ("( ", "cd b;rm -rf *;", ")", Language::Bash),
    ("", "a&", "", Language::Bash),
    ("", "nu -c 'ls';", "", Language::Bash),
    ("nu -c '", "ls;", "'", Language::Bash),
    ("", "ls\n", "", Language::Nu),
    ("", "^a|", "b", Language::Nu),
    ("", "cd a;", "", Language::Nu),
    ("", "rm -rf a;", "", Language::Nu),
    ("ls", " | each {|f| rm $f.name }", "", Language::Nu),
    ("", "def f [] { a };", "", Language::Nu),
    ("", "$env.A = 1;", "", Language::Nu),
    ("", "A=1 ", "b", Language::Nu),
    ("", "http get x | bash;", "", Language::Nu),
    ("", "sh -c 'a';", "", Language::Nu),
    ("let a = [", "(b) ", "]", Language::Nu),
    ("", "if true { a };", "", Language::Nu),
    ("run-external", " a", "", Language::Nu),
    ("awk '", "x | \"a\"; ", "'", Language::Bash),
    ("awk '", "/a|b/ && (a) / 2 || ", "1'", Language::Bash),
    ("sed '", "s/e/b/w e\n", "'", Language::Bash),
    ("sed", " -e 1e", "", Language::Bash),
    ("bash <<A\n", "ed\n", "A", Language::Bash),
    ("", "ed <<<'a'\n", "", Language::Bash),
    ("", "bash /dev/fd/3 3<<<a\n", "", Language::Bash),
    ("git config", " a", "", Language::Bash),
    ("git clone", " -c a=ext::a", "", Language::Bash),
    ("rsync -", "a", "e x", Language::Bash),
    ("pnpm", " -w", " exec a", Language::Bash),
];

fn text((before, piece, after, _): &Text, bytes: usize) -> String {
    [*before, &piece.repeat(bytes.saturating_sub(before.len() + after.len()) / piece.len()), after].concat()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [number, bytes, job] = arguments.as_slice() else {
        return println!("{}", TEXTS.len());
    };
    let given = &TEXTS[number.parse::<usize>().unwrap()];
    let text = text(given, bytes.parse().unwrap());
    match FACTS.iter().find(|(name, _)| name == job) {
        Some((_, fact)) => {
            let script = survey(&text, given.3).map(|survey| survey.script).unwrap_or_default();
            counted(&|| fact(&script));
        }
        None => counted(&|| {
            let script = survey(&text, given.3).map(|survey| survey.script).unwrap_or_default();
            FACTS.iter().filter(|_| job == "all").for_each(|(_, fact)| fact(&script));
        }),
    }
    println!("{:?} {:?} {:?}", given.0, given.1, given.2);
}

/// What callgrind counts.
#[inline(never)]
fn counted(work: &dyn Fn()) {
    work();
}
