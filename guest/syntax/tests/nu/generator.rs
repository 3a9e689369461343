//! Random lines of Nushell: from a grammar, and from mutations of those and of written lines.
//!
//! Files have names without a slash and lines run in a directory of their own, so that a line can do no harm.

use super::lines;
use super::random::Random;

/// Pieces that mutations put in.
const TOKENS: &[&str] = &[
    "'",
    "\"",
    "`",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "||",
    ";",
    "\n",
    " ",
    " # ",
    "#",
    "$",
    "$\"",
    "$'",
    "^",
    "\\",
    "=",
    " = ",
    ",",
    ":",
    ".",
    "...",
    "=>",
    " else ",
    " if true ",
    " match ",
    "not ",
    "r#'",
    "'#",
    "o> f3",
    " e>| ",
    " o+e>| ",
    "c2 ",
    " c3",
    "{|x| ",
    "{ c4 }",
    "(c5)",
    "^c6 ",
    "1",
    "..",
    "-",
    "--x",
    "let y = ",
    "do ",
    "&",
    "true ",
    "\t",
    "é",
    "{a: ",
    "$env.A",
    "$in",
    "\\(",
    "\n| ",
    "@",
    "%",
    "?",
    "*",
    "+",
    "if false { ",
    "} else { ",
    "try { ",
    "each ",
    "where ",
    "def c7 [] ",
    "alias c8 = ",
    "A=",
    "and ",
    "==",
    " in ",
    "\"a b\"",
    "'a b'",
    "'(c3)'",
    "\"(c4 )\"",
    "a'",
];

const VALUES: &[&str] = &["1", "'a b'", "\"x\"", "$in", "true", "[a, b]", "{a: 1}", "5kb", "1..3", "null", "$\"y\""];
const WORDS: &[&str] = &[
    "a",
    "--flag",
    "-x",
    "'a b'",
    "\"c d\"",
    "`e f`",
    "f1",
    "f*",
    "a=b",
    "r#'x y'#",
    "1",
    "$\"z\"",
    "$'w'",
    "a.b",
    "{}",
    "--k='v w'",
    "x\"y z\"",
    "...",
    "a#b",
    "a:b",
    "$nu.pid",
    "[a b]",
];

pub struct Generator {
    random: Random,
    out: String,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), out: String::new() }
    }

    /// Makes one line, and tells whether it is a mutation.
    pub fn line(&mut self) -> (String, bool) {
        let mutates = self.random.chance(60);
        let mut text = if mutates && self.random.chance(65) { self.written() } else { self.grammar() };
        if mutates {
            for _ in 0..=self.random.below(3) {
                text = self.mutate(&text);
            }
        }
        (text, mutates)
    }

    /// Takes one of the written lines that touch nothing but their own directory.
    fn written(&mut self) -> String {
        loop {
            let at = self.random.below(lines::KNOWN.len() + lines::UNKNOWN.len());
            let line = lines::KNOWN.get(at).map_or_else(|| lines::UNKNOWN[at - lines::KNOWN.len()], |known| known.0);
            if !["/", "~", "..", "rm", "mv", "cp", "HOME", "sleep", "loop", "while", "history", "config"]
                .iter()
                .any(|part| line.contains(part))
            {
                return line.to_owned();
            }
        }
    }

    fn mutate(&mut self, text: &str) -> String {
        let characters: Vec<char> = text.chars().collect();
        let at = self.random.below(characters.len() + 1);
        let end = (at + 1 + self.random.below(3)).min(characters.len());
        let (before, span, after) = (&characters[..at], &characters[at..end], &characters[end..]);
        let token: Vec<char> = self.random.pick(TOKENS).chars().collect();
        let other = self.random.below(characters.len() + 1);
        let piece = &characters[other..(other + 6).min(characters.len())];
        let parts: [&[char]; 4] = match self.random.below(6) {
            0 => [before, after, &[], &[]],
            1 | 2 => [before, &token, span, after],
            3 => [before, &token, after, &[]],
            4 => [before, span, span, after],
            _ => [before, piece, span, after],
        };
        parts.concat().into_iter().collect()
    }

    fn grammar(&mut self) -> String {
        self.out.clear();
        self.statements(0);
        std::mem::take(&mut self.out)
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn choose(&mut self, items: &[&str]) {
        let text = self.random.pick(items);
        self.put(text);
    }

    fn statements(&mut self, depth: usize) {
        for index in 0..1 + self.random.below(2) {
            if index > 0 {
                self.choose(&["; ", "\n", "\n# it's { a comment\n", " # so (\n"]);
            }
            self.pipeline(depth);
        }
    }

    fn pipeline(&mut self, depth: usize) {
        if self.random.chance(15) {
            self.choose(&["let v = ", "let v: any = ", "mut v = ", "$env.V = ", "A=1 ", "A='x y' B=z "]);
        }
        self.element(depth);
        while self.random.chance(30) {
            self.choose(&[" | ", "|", " |\n", "\n| ", " e>| ", " o+e>| "]);
            self.element(depth);
        }
        if self.random.chance(8) {
            self.choose(&[" o> f3", " e> f4", " o+e>> f3", " out> f3 err> f4"]);
        }
    }

    fn element(&mut self, depth: usize) {
        let deep = depth > 3;
        match self.random.below(if deep { 4 } else { 12 }) {
            0..=2 => self.external(depth),
            3 => self.choose(VALUES),
            4 => self.compound(depth),
            5 => self.wrapped("(", depth, ")"),
            6 => {
                self.choose(&[
                    "do ",
                    "[1 2] | each ",
                    "[1] | par-each ",
                    "try ",
                    "if true ",
                    "[1] | where ",
                    "1 | tee ",
                ]);
                self.closure(depth);
            }
            7 => {
                self.choose(&["each ", "par-each ", "get 0? | default ", "where ", "items ", "update a ", "reduce "]);
                self.closure(depth);
            }
            8 => self.choose(&["ignore", "lines", "str trim", "complete", "to json", "length", "first", "print"]),
            9 => self.interpolation(depth),
            10 => {
                self.choose(&["1 + ", "not ", "true and ", "'a' == ", "[1] ++ "]);
                self.wrapped("(", depth, ")");
            }
            _ => {
                self.choose(&[
                    "run-external c7 ",
                    "exec c8 ",
                    "print ",
                    "echo ",
                    "$in | c9 ",
                    "with-env {A: 1} { c1 } #",
                ]);
                self.word(depth);
            }
        }
    }

    fn external(&mut self, depth: usize) {
        self.choose(&["c1", "c2", "c3", "^c4", "^'c5'", "`c6`", "^\"c7\"", "c8", "c9"]);
        for _ in 0..self.random.below(4) {
            self.put(" ");
            self.word(depth);
        }
    }

    fn word(&mut self, depth: usize) {
        if depth > 3 || self.random.chance(70) {
            return self.choose(WORDS);
        }
        match self.random.below(7) {
            0 | 1 => self.wrapped("(", depth, ")"),
            2 => self.wrapped("--x=(", depth, ")"),
            3 => self.wrapped("...(", depth, " | lines)"),
            4 => self.wrapped("a(", depth, ")b"),
            5 => self.interpolation(depth),
            _ => self.wrapped("[(", depth, ")]"),
        }
    }

    fn wrapped(&mut self, before: &str, depth: usize, after: &str) {
        self.put(before);
        self.statements(depth + 1);
        self.put(after);
    }

    fn interpolation(&mut self, depth: usize) {
        let quote = self.random.pick(&["\"", "'"]);
        self.put("$");
        self.put(quote);
        self.choose(&["", "a ", "\\\\", "b"]);
        self.wrapped("(", depth, ")");
        self.choose(&["", " c", "\\t"]);
        self.put(quote);
    }

    fn closure(&mut self, depth: usize) {
        self.choose(&["{ ", "{|x| ", "{|| ", "{|x, y| ", "{\n", "{ # no }\n"]);
        self.statements(depth + 1);
        self.choose(&[" }", "}", "\n}"]);
    }

    fn compound(&mut self, depth: usize) {
        match self.random.below(7) {
            0 => {
                self.choose(&["if true ", "if false ", "if 1 == 2 ", "if (c3 | is-empty) "]);
                self.closure(depth);
                self.put(" else ");
                self.closure(depth);
            }
            1 => {
                self.choose(&["for i in [1 2] ", "for i in 1..2 ", "for i in (c4 | lines) "]);
                self.closure(depth);
            }
            2 => {
                self.put("try ");
                self.closure(depth);
                self.put(" catch ");
                self.closure(depth);
            }
            3 => {
                self.choose(&["match 1 { 1 => ", "match 'a' { 'b' | 'a' => ", "match 1 { $x if $x > 0 => "]);
                self.closure(depth);
                self.choose(&[", _ => (c2) }", "\n _ => null\n}", " }"]);
            }
            4 => {
                self.choose(&["def g [] ", "def g [x?: any] ", "def --env g [...r] "]);
                self.closure(depth);
                self.choose(&["; g", "\ng a", ""]);
            }
            5 => self.wrapped("{a: (", depth, "), b: 1}"),
            _ => self.wrapped("[1, (", depth, ")]"),
        }
    }
}
