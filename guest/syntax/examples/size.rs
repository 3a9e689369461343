//! What `guest/syntax/size` weighs: a program that asks so much of the library as the variable `PART` says when it is
//! built. All of them read a line and write text, as every policy does, so that what they share is not counted.
#![expect(clippy::print_stdout, reason = "a tool for whoever works on this crate")]

use shellward_syntax::facts::{self, INTERACTIVE, shown};
use shellward_syntax::{Language, Script, Survey, Unknown, parse, survey, survey_without_nu};

/// 0 for nothing, 1 for what stands in a line of bash, 2 for what it runs, 3 for the facts that the policy `bash` asks,
/// 4 for all facts, 5 for Nushell too.
const PART: u8 = match option_env!("PART") {
    Some(part) => part.as_bytes()[0] - b'0',
    None => 5,
};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (name, line) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    println!("{name}: {line}");
    if PART > 0 {
        read(&name, &line);
    }
}

/// Reads a line in a language that is known only when it runs, and tells what is in it.
fn read(name: &str, line: &str) {
    let language = match name {
        "bash" => Language::Bash,
        "zsh" => Language::Zsh,
        "nu" if PART > 4 => Language::Nu,
        _ => Language::Sh,
    };
    let read = match (PART, language) {
        // With the language written out, what reads Nushell is not there.
        (1, Language::Bash) => grammar(line, Language::Bash),
        (1, Language::Zsh) => grammar(line, Language::Zsh),
        (1, _) => grammar(line, Language::Sh),
        (2..=4, _) => survey_without_nu(line, language),
        _ => survey(line, language),
    };
    match read {
        Ok(Survey { script, unknown }) => {
            for unknown in unknown {
                println!("{unknown}");
            }
            for word in script.commands.iter().flat_map(|command| &command.words) {
                println!("{}", shown(word));
            }
            ask(&script);
        }
        Err(unknown) => println!("{unknown}"),
    }
}

fn grammar(line: &str, language: Language) -> Result<Survey, Unknown> {
    parse(line, language).map(|script| Survey { script, unknown: Vec::new() })
}

/// Asks the facts.
fn ask(script: &Script) {
    if PART > 2 {
        let found = facts::removes(script).into_iter().map(|(_, finding)| finding);
        let hazards = facts::hazards(script).into_iter().map(|(_, finding)| finding);
        let interactive = facts::interactive(script, INTERACTIVE);
        let single = [facts::writes_device(script), facts::remote_script(script), interactive];
        for finding in found.chain(hazards).chain(single.into_iter().flatten()) {
            println!("{}: {}: {}", finding.program, finding.word, finding.rule);
        }
        println!("{}", facts::directories(script).iter().filter(|change| change.searched).count());
    }
    if PART > 3 {
        let found = [facts::tier(script).1, facts::network(script)];
        println!("{}", found.iter().flatten().map(|finding| finding.span.start).sum::<usize>());
    }
}
