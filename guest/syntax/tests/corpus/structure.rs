//! What a script holds besides words: nesting, pipelines, environments, redirections, bodies, parts.

use shellward_syntax::{Language, Nesting, Operator, Part, Script, Span, Target, What, analyse, parse};

fn bash(text: &str) -> Script {
    parse(text, Language::Bash).unwrap()
}

fn nesting(text: &str, program: &str) -> Vec<Nesting> {
    let script = bash(text);
    let mut commands = script.commands.iter();
    let found =
        commands.find(|command| command.words.first().is_some_and(|word| word.literal().as_deref() == Some(program)));
    found.unwrap().nesting.clone()
}

#[test]
fn nesting_tells_what_stands_around() {
    use Nesting::{
        Background, Body, CommandSubstitution, Condition, Function, Group, Pipeline, ProcessSubstitution, Subshell,
    };
    let table: &[(&str, &[Nesting])] = &[
        ("x", &[]),
        ("(x)", &[Subshell]),
        ("{ x; }", &[Group]),
        ("a $(x)", &[CommandSubstitution]),
        ("a `x`", &[CommandSubstitution]),
        ("a <(x)", &[ProcessSubstitution]),
        ("f() { x; }", &[Function, Group]),
        ("if x; then a; fi", &[Condition]),
        ("if a; then x; fi", &[Body]),
        ("while a; do x; done", &[Body]),
        ("case a in a) x;; esac", &[Body]),
        ("a | x", &[Pipeline]),
        ("x | a", &[Pipeline]),
        ("x &", &[Background]),
        ("(a; x | b) & c", &[Background, Subshell, Pipeline]),
        ("{ a $(x); } | b", &[Pipeline, Group, CommandSubstitution]),
        ("coproc x", &[Background]),
        ("[[ -n $(x) ]]", &[Condition, CommandSubstitution]),
        ("{ a <<E; }\n$(x)\nE\n", &[Group, CommandSubstitution]),
    ];
    for (text, expected) in table {
        assert_eq!(nesting(text, "x"), *expected, "{text:?}");
    }
}

#[test]
fn members_of_a_pipeline_know_their_place() {
    let script = bash("a | { b; c $(d | e); } | f; g");
    let place = |index: usize| script.commands[index].pipe.map(|pipe| (pipe.pipeline, pipe.position));
    let places: Vec<_> = (0..script.commands.len()).map(place).collect();
    let names: Vec<_> =
        script.commands.iter().map(|command| command.words[0].literal().unwrap().into_owned()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "f", "g"]);
    let outer = places[0].unwrap().0;
    let inner = places[3].unwrap().0;
    assert_ne!(outer, inner);
    let expected = [
        Some((outer, 0)),
        Some((outer, 1)),
        Some((outer, 1)),
        Some((inner, 0)),
        Some((inner, 1)),
        Some((outer, 2)),
        None,
    ];
    assert_eq!(places, expected);
}

/// Which commands share an environment with `a`.
#[test]
fn environments_are_told_apart() {
    let table = [
        ("a; x", true),
        ("a; { x; }", true),
        ("a && x", true),
        ("if a; then x; fi", true),
        ("a; (x)", false),
        ("a; b $(x)", false),
        ("a; x | b", false),
        ("a; b | x", false),
        ("a; x & b", false),
        ("a; coproc x", false),
        ("a; b <(x)", false),
        ("(a); (x)", false),
        ("(a; x)", true),
        ("(a; x) | b", true),
        ("{ a; x; } & b", true),
    ];
    for (text, shared) in table {
        let script = bash(text);
        let scope = |name: &str| {
            let mut commands = script.commands.iter();
            commands.find(|command| command.words[0].literal().as_deref() == Some(name)).unwrap().scope
        };
        assert_eq!(scope("a") == scope("x"), shared, "{text:?}: {script:?}");
        for (index, scope) in script.scopes.iter().enumerate() {
            assert_eq!(scope.parent.is_none(), index == 0, "{text:?}");
        }
    }
    // The environment inside a member of a pipeline is a copy of that member's, not of the shell's.
    let script = bash("{ a; (b); } | c");
    let (a, b) = (&script.commands[0], &script.commands[1]);
    assert_eq!(script.scopes[b.scope].parent, Some(a.scope));
    // zsh runs the last member of a pipeline itself.
    let script = parse("a; b | x", Language::Zsh).unwrap();
    assert_eq!(script.commands[0].scope, script.commands[2].scope);
}

fn redirections(text: &str) -> Vec<String> {
    let script = bash(text);
    let all = script.commands.iter().flat_map(|command| &command.redirections);
    all.map(|redirection| {
        let target = match &redirection.target {
            Target::File(word) => word.literal().map_or("·".to_owned(), std::borrow::Cow::into_owned),
            Target::Descriptor(descriptor) => descriptor.map_or("-".to_owned(), |number| format!("&{number}")),
            Target::Body(word) => format!("{:?}", word.literal()),
        };
        let descriptor = redirection.descriptor.map_or(String::new(), |number| number.to_string());
        format!("{descriptor}{:?} {target}", redirection.operator)
    })
    .collect()
}

#[test]
fn redirections_tell_operator_and_target() {
    let table: &[(&str, &[&str])] = &[
        ("a <f >g 2>>h", &["Read f", "Write g", "2Append h"]),
        ("a >|f <>g 3<>h", &["Write f", "ReadWrite g", "3ReadWrite h"]),
        ("a &>f; b &>>g; c >&h", &["WriteBoth f", "AppendBoth g", "WriteBoth h"]),
        ("a 2>&1 >&2 <&- 1>&3-", &["2Duplicate &1", "Duplicate &2", "Duplicate -", "1Duplicate &3"]),
        ("a >\"$x\" >$(b) >'c d'", &["Write ·", "Write ·", "Write c d"]),
        ("a <<<'b c'", &["HereString Some(\"b c\")"]),
        ("a <<E\nb\n\nc\nE\n", &["HereDocument Some(\"b\\n\\nc\\n\")"]),
        ("a <<'E'\n$b \\\nE\n", &["HereDocument Some(\"$b \\\\\\n\")"]),
        ("a <<-'E'\n\tb\n\t\tc\n\tE\n", &["HereDocument Some(\"b\\nc\\n\")"]),
        ("a <<E\n$b\nE\n", &["HereDocument None"]),
        ("a <<E\n\\$b \\\nc\nE\n", &["HereDocument Some(\"$b c\\n\")"]),
        ("a <<E\nE\n", &["HereDocument Some(\"\")"]),
        ("{ a; } >f; (b) 2>g; while c; do d; done <h", &["Write f", "2Write g", "Read h"]),
        ("f() { a; } >g", &["Write g"]),
        (">f", &["Write f"]),
    ];
    for (text, expected) in table {
        assert_eq!(redirections(text), *expected, "{text:?}");
    }
    let compound = bash("{ a; } >f");
    assert!(compound.commands[1].words.is_empty());
    assert_eq!(compound.commands[0].redirections, []);
    assert!(matches!(compound.commands[1].redirections[0].operator, Operator::Write));
}

#[test]
fn parts_tell_what_is_known() {
    let text = |text: &str| Part::Text(text.to_owned());
    let glob = |text: &str| Part::Glob(text.to_owned());
    let variable = |name: &str| Part::Variable(name.to_owned());
    let table: Vec<(&str, Vec<Part>)> = vec![
        ("''", vec![]),
        ("a\"b\"'c'", vec![text("abc")]),
        ("/*", vec![text("/"), glob("*")]),
        ("a[bc]d?", vec![text("a"), glob("[bc]"), text("d"), glob("?")]),
        ("~", vec![Part::Home]),
        ("~/x", vec![Part::Home, text("/x")]),
        ("~root", vec![Part::User("root".into())]),
        ("~root/x", vec![Part::User("root".into()), text("/x")]),
        ("~a.b-c/*", vec![Part::User("a.b-c".into()), text("/"), glob("*")]),
        ("~root'x'", vec![Part::Dynamic, text("rootx")]),
        ("~+/x", vec![Part::Dynamic, text("+/x")]),
        ("~1", vec![Part::Dynamic, text("1")]),
        ("\"$HOME\"", vec![Part::Home]),
        ("${HOME}/", vec![Part::Home, text("/")]),
        ("\"$x/y\"", vec![variable("x"), text("/y")]),
        ("\"${x}y\"", vec![variable("x"), text("y")]),
        ("$x", vec![Part::Dynamic]),
        ("/$x", vec![text("/"), Part::Dynamic]),
        ("\"$@\"", vec![Part::Dynamic]),
        ("\"${x:-a}\"", vec![Part::Dynamic]),
        ("A=~/x", vec![text("A="), Part::Home, text("/x")]),
        ("[", vec![text("[")]),
    ];
    for (written, parts) in table {
        let script = bash(&format!("c {written}"));
        assert_eq!(script.commands[0].words[1].parts, parts, "{written}");
        let span = script.commands[0].words[1].span;
        assert_eq!((span.start, span.end), (2, 2 + written.len()), "{written}");
    }
}

#[test]
fn assignments_and_functions_are_told() {
    let script = bash("A=1 B+='x y' C=$z D=~/a:~/b E=(1 2) F[2]=g c; A=2; f() { :; }; function g { :; }");
    let first = &script.commands[0];
    let told: Vec<_> =
        first.assignments.iter().map(|assignment| (assignment.name.as_str(), assignment.append)).collect();
    assert_eq!(told, [("A", false), ("B", true), ("C", false), ("D", false), ("E", false), ("F", false)]);
    assert_eq!(first.assignments[1].value.literal().as_deref(), Some("x y"));
    assert_eq!(first.assignments[4].value.parts, [Part::Dynamic]);
    let home = [Part::Home, Part::Text("/a:".to_owned()), Part::Home, Part::Text("/b".to_owned())];
    assert_eq!(first.assignments[3].value.parts, home);
    assert_eq!(first.words.len(), 1);
    assert!(script.commands[1].words.is_empty());
    assert_eq!(script.functions, ["f", "g"]);
}

#[test]
fn what_is_unknown_is_pointed_at() {
    let unknown = parse("c1 a; c2 \"b", Language::Bash).unwrap_err();
    assert!(matches!(unknown.what, What::Syntax(_)));
    let unknown = parse("c1 $'a'", Language::Sh).unwrap_err();
    assert_eq!(unknown.what, What::Dialect("$'"));
    assert_eq!(unknown.span.start, 3);
}

#[test]
fn what_a_script_in_a_script_reads_stands_where_that_script_stands() {
    let text = "ääää; sh <<A\nsh <<B\nx\nB\necho y | sh\nA\n";
    let script = analyse(text, Language::Bash).unwrap();
    let written = |span: Span| &text[span.start..span.end];
    let inner: Vec<_> = script.commands.iter().filter(|command| command.via.len() == 2).collect();
    assert_eq!(inner.len(), 2);
    for command in inner {
        assert_eq!(written(command.span), "sh <<B\nx\nB\necho y | sh\n", "{command:?}");
    }
}

#[test]
fn a_doubt_about_an_option_stands_at_the_option() {
    let marked =
        [("ls; sudo --frob rm", "--frob"), ("ls | xargs -n 1 --\"$X\" rm", "--\"$X\""), ("timeout -$x 5 rm", "-$x")];
    for (text, expected) in marked {
        let unknown = analyse(text, Language::Bash).unwrap_err();
        assert_eq!(&text[unknown.span.start..unknown.span.end], expected, "{text}: {unknown:?}");
    }
    let unknown = analyse("ls; sudo $X rm", Language::Bash).unwrap_err();
    assert_eq!(unknown.span.start, 4, "{unknown:?}");
}
