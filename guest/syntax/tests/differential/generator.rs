//! Random scripts: from a grammar, and from mutations of those and of written lines.
//!
//! Every program is called `c1` to `c9`, files have names without a slash, so that a script can do no harm.

use super::random::Random;
use super::seeds::{BASH_SEEDS, SEEDS};
use super::vocabulary::{BASH_PIECES, FILES, NAMES, PIECES, POSIX_PIECES, PROGRAMS, TOKENS};

/// What kind of script was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Grammar,
    Mutation,
}

pub struct Generator {
    random: Random,
    /// Whether only what POSIX has is made.
    posix: bool,
    out: String,
    /// How many substitutions are open.
    inside: usize,
    /// Bodies of here-documents that follow the line.
    bodies: Vec<String>,
}

impl Generator {
    pub fn new(seed: u64, posix: bool) -> Self {
        Self { random: Random::new(seed), posix, out: String::new(), inside: 0, bodies: Vec::new() }
    }

    /// Makes one script.
    pub fn script(&mut self) -> (String, Origin) {
        let mutates = self.random.chance(50);
        let mut text = if mutates && self.random.chance(60) {
            let seeds = if self.posix || self.random.chance(60) { SEEDS } else { BASH_SEEDS };
            self.random.pick(seeds).to_owned()
        } else {
            self.out.clear();
            self.bodies.clear();
            self.list(0);
            self.line_end();
            std::mem::take(&mut self.out)
        };
        if !mutates {
            return (text, Origin::Grammar);
        }
        let edits = if self.random.chance(8) { 8 } else { 2 };
        for _ in 0..=self.random.below(edits) {
            text = self.mutate(&text);
        }
        (text, Origin::Mutation)
    }

    fn mutate(&mut self, text: &str) -> String {
        let characters: Vec<char> = text.chars().collect();
        let at = self.random.below(characters.len() + 1);
        let length = 1 + self.random.below(3);
        let end = (at + length).min(characters.len());
        let join = |parts: &[&[char]], between: &str| -> String {
            let texts: Vec<String> = parts.iter().map(|part| part.iter().collect()).collect();
            texts.join(between)
        };
        let (before, span, after) = (&characters[..at], &characters[at..end], &characters[end..]);
        match self.random.below(6) {
            0 => join(&[before, after], ""),
            1 | 2 => join(&[before, &characters[at..]], self.random.pick(TOKENS)),
            3 => join(&[before, after], self.random.pick(TOKENS)),
            4 => join(&[before, span, span, after], ""),
            _ => {
                let other = self.random.below(characters.len() + 1);
                let piece: String = characters[other..(other + 6).min(characters.len())].iter().collect();
                join(&[before, &characters[at..]], &piece)
            }
        }
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn choose(&mut self, items: &[&str]) {
        let text = self.random.pick(items);
        self.put(text);
    }

    /// Ends a line, with the bodies of the here-documents on it.
    fn line_end(&mut self) {
        self.put("\n");
        for body in std::mem::take(&mut self.bodies) {
            self.put(&body);
        }
    }

    fn list(&mut self, depth: usize) {
        let count = 1 + self.random.below(3);
        for index in 0..count {
            self.and_or(depth);
            if index + 1 == count {
                break;
            }
            match self.random.below(10) {
                0..=3 => self.put("; "),
                4 => self.put(" & "),
                5 => self.put(";"),
                6 => {
                    self.put(" # it's a ) comment");
                    self.line_end();
                }
                _ => self.line_end(),
            }
        }
    }

    fn and_or(&mut self, depth: usize) {
        if self.random.chance(5) {
            self.put("! ");
        } else if !self.posix && self.random.chance(3) {
            self.put("time ");
        }
        self.command(depth);
        while self.random.chance(25) {
            let mut signs = vec![" && ", " || ", " | ", "|", "&&"];
            if !self.posix {
                signs.push(" |& ");
            }
            let sign = self.random.pick(&signs);
            self.put(sign);
            if self.random.chance(10) {
                self.line_end();
            }
            self.command(depth);
        }
    }

    fn command(&mut self, depth: usize) {
        if depth > 3 || self.random.chance(62) {
            return self.simple(depth);
        }
        match self.random.below(if self.posix { 9 } else { 15 }) {
            0 => self.wrapped(depth, "( ", ")"),
            1 => self.grouped(depth),
            2 => self.conditional(depth),
            3 => self.each(depth),
            4 => self.repetition(depth),
            5 => self.case(depth),
            6 => {
                self.choose(&["f", "g"]);
                self.put("() ");
                self.grouped(depth);
                self.put("; ");
                self.choose(&["f", "g a"]);
            }
            7 => self.wrapped(depth, "(", ")"),
            8 => {
                self.choose(&[
                    "x=1",
                    "x='a b'",
                    "x=$(c9)",
                    "y=\"$x\"",
                    "x=~/q",
                    "x=a:~",
                    "n=5",
                    "i=$((1+1))",
                    "x=\"a\nb\"",
                    "x='a\nb'",
                ]);
            }
            9 => self.choose(&[
                "[[ $x == a* ]]",
                "[[ -n $x && ! $y ]]",
                "[[ a < b || ( -f f1 ) ]]",
                "[[ $x =~ ^(a|b)+$ ]]",
                "[[ $x = \"$(c1)\" ]]",
                "[[ $i -gt 3 ]]",
                "[[ $x == @(a|b) ]]",
                "[[ -z $(c2) ]]",
                "[[ a ]]",
                "[[ ! -e f1 ]]",
                "[[ -v x ]]",
            ]),
            10 => self.choose(&[
                "((i++))",
                "(( i < 3 ))",
                "((n = i + 1))",
                "(( n[0] ))",
                "((1)) ",
                "(( i << 2 ))",
                "((i=1, i+2))",
            ]),
            11 => {
                self.choose(&["for ((i=0; i<2; i++)); do ", "for ((;;)) do break; "]);
                self.list(depth + 1);
                self.put("; done");
            }
            12 => {
                self.choose(&[
                    "y=(a b)",
                    "y=(1 2 3)",
                    "y[0]=1",
                    "y+=(c)",
                    "y=([0]=a [1]=b)",
                    "y=(\"$(c1)\" c)",
                    "declare -a y=(a)",
                    "y[i]=2",
                    "n=$(c1)",
                    "read i",
                    "local x=1",
                    "export x=\"$y\"",
                    "declare x=5",
                    "x+=1",
                    "x='a[$(c9)]'",
                    "read x",
                    "printf -v x a",
                    "let i=1",
                    "[ -v x ]",
                    "[ $i -gt 1 ]",
                    "[ \"$x\" = a ]",
                    "unset x",
                    "readonly q=1",
                    "test -n \"$x\"",
                ]);
            }
            13 if self.inside == 0 || self.random.chance(3) => {
                self.put("coproc ");
                self.simple(depth);
            }
            _ => {
                self.put("function h ");
                self.grouped(depth);
                self.put("; h");
            }
        }
        if self.random.chance(15) {
            self.redirection(depth);
        }
    }

    fn wrapped(&mut self, depth: usize, open: &str, close: &str) {
        // `((` would be arithmetic, mostly.
        if self.out.ends_with('(') && self.random.chance(95) {
            self.put(" ");
        }
        self.put(open);
        self.list(depth + 1);
        // A comment or here-document would swallow what closes on its line.
        self.close_line();
        self.put(close);
    }

    fn close_line(&mut self) {
        if !self.bodies.is_empty() && self.random.chance(95) {
            self.line_end();
        }
    }

    fn grouped(&mut self, depth: usize) {
        self.put("{ ");
        self.list(depth + 1);
        self.put("; }");
    }

    fn conditional(&mut self, depth: usize) {
        self.put("if ");
        self.list(depth + 1);
        self.put("; then ");
        self.list(depth + 1);
        if self.random.chance(40) {
            self.put("; elif ");
            self.list(depth + 1);
            self.put("; then ");
            self.list(depth + 1);
        }
        if self.random.chance(50) {
            self.put("; else ");
            self.list(depth + 1);
        }
        self.put("; fi");
    }

    fn each(&mut self, depth: usize) {
        self.put("for ");
        self.choose(NAMES);
        self.put(" in ");
        for _ in 0..=self.random.below(2) {
            self.word(depth);
            self.put(" ");
        }
        self.put("; do ");
        self.list(depth + 1);
        self.put("; done");
    }

    fn repetition(&mut self, depth: usize) {
        self.choose(&["while ", "until "]);
        self.simple(depth + 1);
        self.put("; do ");
        self.list(depth + 1);
        self.put("; break; done");
    }

    fn case(&mut self, depth: usize) {
        self.put("case ");
        self.word(depth);
        self.put(" in ");
        for _ in 0..=self.random.below(2) {
            self.choose(&["a) ", "(b|c) ", "*) ", "\"a)\") ", "[a-c]*) ", "$x) ", "'x' | y) ", "a)"]);
            self.list(depth + 1);
            let mut ends = vec![";; ", "\n;;\n"];
            if !self.posix {
                ends.extend([";;& ", ";& "]);
            }
            let end = self.random.pick(&ends);
            self.close_line();
            self.put(end);
        }
        self.put("esac");
    }

    fn simple(&mut self, depth: usize) {
        while self.random.chance(8) {
            self.choose(NAMES);
            self.put("=");
            self.word(depth);
            self.put(" ");
        }
        if self.random.chance(4) {
            self.redirection(depth);
            self.put(" ");
        }
        match self.random.below(20) {
            0 => self.choose(&["\"c1\"", "'c2'", "c\\3", "c\"4\"", "\\c5", "c\\\n6"]),
            1 => self.choose(&["echo", "printf", ":", "true", "echo a"]),
            2 if !self.posix => self.choose(&["$'c7'", "$'c\\x38'", "c{9,1}", "$\"c1\""]),
            _ => self.choose(PROGRAMS),
        }
        for _ in 0..self.random.below(4) {
            self.choose(&[" ", " ", " ", "  ", "\t", " \\\n"]);
            self.word(depth);
        }
        while self.random.chance(15) {
            self.redirection(depth);
        }
    }

    fn redirection(&mut self, depth: usize) {
        match self.random.below(12) {
            0..=2 => {
                self.choose(&[" >", " > ", " >>", " 2>", ">", " >|", " <>"]);
                self.choose(FILES);
            }
            3 => self.choose(&[" 2>&1", " >&2", " 1>&2", " 2>&-", " <&0", " 2>& 1"]),
            4 | 5 if !self.posix => {
                self.choose(&[" &>", " &>>", " >&", " {x}>", " 3<>"]);
                self.choose(FILES);
            }
            6 if !self.posix => {
                self.put(" <<< ");
                self.word(depth);
            }
            7 if !self.posix => {
                self.put(" < <(");
                self.inside += 1;
                self.list(depth + 2);
                self.close_line();
                self.inside -= 1;
                self.put(")");
            }
            4 | 5 | 8 => {
                self.put(" > ");
                self.choose(&["\"f1\"", "$x", "f$i", "$(c5; echo f2)", "'f 3'"]);
            }
            6 | 7 => {}
            _ => self.heredoc(),
        }
    }

    fn heredoc(&mut self) {
        if self.inside > 0 && self.random.chance(90) {
            return;
        }
        let (written, delimiter) =
            [("A", "A"), ("'A'", "A"), ("\\A", "A"), ("\"A B\"", "A B"), ("E\"O\"F", "EOF"), ("B", "B")]
                [self.random.below(6)];
        let strip = self.random.chance(20);
        self.put(if strip { " <<-" } else { " <<" });
        self.put(written);
        let mut body = String::new();
        for _ in 0..self.random.below(4) {
            if strip {
                body.push('\t');
            }
            body.push_str(self.random.pick(&[
                "text",
                "$x",
                "$(c1 a)",
                "`c2`",
                "it's",
                "\"quoted",
                "\\$(c3)",
                "A ",
                "a\\",
                "${x:-$(c4)}",
                "c5",
                "",
                ")",
                "$((1+1))",
                " A",
                "AB",
                "\\\\",
                "a \\\\",
                "$(c6 \"b c\")",
                "}",
                "$(c7 '\n)')",
                "done",
                "$",
                "#",
            ]));
            body.push('\n');
        }
        if strip && self.random.chance(50) {
            body.push('\t');
        }
        body.push_str(delimiter);
        body.push('\n');
        self.bodies.push(body);
    }

    fn word(&mut self, depth: usize) {
        for _ in 0..=self.random.below(2) {
            // A line end inside a word, before the body of a here-document, is seldom meant.
            let pieces = if !self.bodies.is_empty() && self.random.chance(95) { 16 } else { 20 };
            match self.random.below(pieces) {
                0..=8 => self.choose(PIECES),
                9..=13 => self.choose(POSIX_PIECES),
                14 | 15 if !self.posix => self.choose(BASH_PIECES),
                16 if depth < 3 => self.nested(depth, "$(", ")"),
                17 if depth < 3 => self.nested(depth, "\"$(", ")\""),
                18 if depth < 3 => self.nested(depth, "\"${x:-$(", ")}\""),
                _ => self.choose(&["a", "b", "-r", "x y", "zz"]),
            }
            if self.random.chance(60) {
                break;
            }
        }
    }

    /// Puts a list between signs, with here-documents of its own.
    fn nested(&mut self, depth: usize, open: &str, close: &str) {
        let bodies = std::mem::take(&mut self.bodies);
        self.put(open);
        if self.out.ends_with("$(") && self.random.chance(10) {
            self.put(" ");
        }
        self.inside += 1;
        if self.random.chance(8) {
            self.put("c1 <<'A'\nit's ) a\n$(c9)\nA\n");
        } else {
            self.list(depth + 2);
            self.close_line();
        }
        self.inside -= 1;
        self.put(close);
        self.bodies = bodies;
    }
}
