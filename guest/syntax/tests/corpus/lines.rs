//! Lines and what they run.

/// A line, and the commands it runs in the order of the text: words separated by a blank, `·` for a word that cannot be
/// known, `␣` for a blank inside a word, `⏎` for a line end, `∅` for an empty word.
pub struct Line {
    pub text: &'static str,
    pub commands: &'static [&'static str],
}

const fn line(text: &'static str, commands: &'static [&'static str]) -> Line {
    Line { text, commands }
}

/// Lines that are read, with every command in them.
pub const KNOWN: &[Line] = &[
    // Words and quotes.
    line("c1 one two", &["c1 one two"]),
    line("c1 'one two' \"three four\"", &["c1 one␣two three␣four"]),
    line("c1 a'b'\"c\"\\d", &["c1 abcd"]),
    line("'c'1 x; \"c2\" y; \\c3 z", &["c1 x", "c2 y", "c3 z"]),
    line("c\\\n1 x", &["c1 x"]),
    line("c1 \\\n  x \\\n  y", &["c1 x y"]),
    line("c1 '' \"\" ''\"\"", &["c1 ∅ ∅ ∅"]),
    line("c1 \"a\\\"b\\\\c\\$d\\`e\\f\"", &["c1 a\"b\\c$d`e\\f"]),
    line("c1 'a\\' b", &["c1 a\\ b"]),
    line("c1 \"a\nb\" 'c\nd'", &["c1 a⏎b c⏎d"]),
    line("c1 $'a\\tb\\'c' $'\\x63\\062'", &["c1 a\tb'c c2"]),
    line("$'\\143\\x31' x", &["c1 x"]),
    line("c1 $'a\\0b'c", &["c1 ac"]),
    line("$\"c1\" x", &["c1 x"]),
    line("c1 \"$'x'\" $ a$ \"$\"", &["c1 $'x' $ a$ $"]),
    line("c1 a#b \\# x '#' # c2", &["c1 a#b # x #"]),
    line("c1;#x\nc2", &["c1", "c2"]),
    line("c1 # it's; c3\nc2", &["c1", "c2"]),
    line("c1\u{a0}a b\u{b}c", &["c1\u{a0}a b\u{b}c"]),
    line("c1 if then } { done fi ! in", &["c1 if then } { done fi ! in"]),
    line("\"if\" x; \\if y; i\\f z", &["if x", "if y", "if z"]),
    line("c1 {} {a} {a,b \\{a,b} \"{a,b}\" x{ }", &["c1 {} {a} {a,b {a,b} {a,b} x{ }"]),
    line("c1 {a,b} x{1..3}y", &["c1 a b x1y x2y x3y"]),
    line("c{1,2} z", &["c1 c2 z"]),
    line("c1 *.t a?b [ab] \\*.t \"*\" [a", &["c1 · · · *.t * [a"]),
    line("c1 ~ ~/x \"~\" a~b A=~/x", &["c1 · · ~ a~b ·"]),
    line("c1 $x \"$x\" ${x}y $1 $#", &["c1 · · · · ·"]),
    line("c1 a=b --c=d 'e f'=g", &["c1 a=b --c=d e␣f=g"]),
    line("c1 é \"☃\" \\é", &["c1 é ☃ é"]),
    // Lists and pipelines.
    line("c1 && c2 || c3; c4 & c5", &["c1", "c2", "c3", "c4", "c5"]),
    line("c1&&c2||c3;c4&c5|c6", &["c1", "c2", "c3", "c4", "c5", "c6"]),
    line("c1 | c2 |& c3", &["c1", "c2", "c3"]),
    line("c1 &&\n\n# why\nc2 |\nc3", &["c1", "c2", "c3"]),
    line("\n\n c1 \n\nc2;\n", &["c1", "c2"]),
    line("! c1 | c2; ! ! c3", &["c1", "c2", "c3"]),
    line("time c1 | c2; time -p c3; time ! c4", &["c1", "c2", "c3", "c4"]),
    line("c1 &\nc2 &", &["c1", "c2"]),
    line("", &[]),
    line("# nothing", &[]),
    // Redirections.
    line("c1 >f 2>&1 a <g >>h 2>>i b", &["c1 a b"]),
    line(">f c1 a; 2>f <g c2", &["c1 a", "c2"]),
    line("c1 a2>f 3 >g 4", &["c1 a2 3 4"]),
    line("c1 &>f; c2 &>>f; c3 >|f; c4 <>f", &["c1", "c2", "c3", "c4"]),
    line("c1 {x}>f a", &["c1 a"]),
    line("c1 >&2 2>&- a", &["c1 a"]),
    line("c1 >$(c2 a) b", &["c1 b", "c2 a"]),
    line("c1 <<<\"$(c2)\" a", &["c1 a", "c2"]),
    line(">f", &[]),
    // Substitutions.
    line("c1 $(c2 $(c3 a))", &["c1 ·", "c2 ·", "c3 a"]),
    line("c1 \"$(c2 \"$(c3 \"a b\")\")\"", &["c1 ·", "c2 ·", "c3 a␣b"]),
    line("c1 `c2 a` \"`c3`\"", &["c1 · ·", "c2 a", "c3"]),
    line("c1 $( (c2) ) $(: # )\nc3)", &["c1 · ·", "c2", ":", "c3"]),
    line("c1 $(c2 ')') $(c3 \\)) $(c4 \")\")", &["c1 · · ·", "c2 )", "c3 )", "c4 )"]),
    line("c1 $(case x in x) c2;; esac)", &["c1 ·", "c2"]),
    line("c1 <(c2 a) >(c3) < <(c4)", &["c1 · ·", "c2 a", "c3", "c4"]),
    line("c1 a<(c2)b", &["c1 ·", "c2"]),
    line("c1 ${x:-$(c2)} \"${x:-\"$(c3)\"}\" ${x:-'$(c4)'}", &["c1 · · ·", "c2", "c3"]),
    line("c1 \"${x:-${y:-`c2`}}\"", &["c1 ·", "c2"]),
    line("c1 ${x%\\}} ${x#'}'} ${x//a/$(c2)} ${x:1:2} ${x^^} ${x@Q} ${#x} ${x[0]}", &["c1 · · · · · · · ·", "c2"]),
    line("c1 $(<f) $()", &["c1 · ·"]),
    line("c1 \"\\$(c2)\" '$(c3)' \\$x", &["c1 $(c2) $(c3) $x"]),
    line("c1 $((1+2)) $(( (n+1) * 2 )) \"$((1<<2))\"", &["c1 · · ·"]),
    line("n=3; c1 $((n)) ${y[n]}", &["c1 · ·"]),
    line("n=$(date +%s); c1 $((n - 5))", &["date +%s", "c1 ·"]),
    // Here-documents.
    line("c1 <<A\nit's $(c2 a) `c3`\nA\nc4", &["c1", "c2 a", "c3", "c4"]),
    line("c1 <<'A'\n$(c2) `c3` \" '\nA\nc4", &["c1", "c4"]),
    line("c1 <<\\A\n$(c2)\nA\nc3 <<\"A B\"\n$(c4)\nA B\n", &["c1", "c3"]),
    line("c1 <<-A\n\tb $(c2)\n\tA\nc3", &["c1", "c2", "c3"]),
    line("c1 <<A <<B x\na\nA\n$(c2)\nB\nc3", &["c1 x", "c2", "c3"]),
    line("c1 <<A | c2 | c3\nb\nA\nc4", &["c1", "c2", "c3", "c4"]),
    line("c1 <<A && c2\n)(\nA\nc3", &["c1", "c2", "c3"]),
    line("c1 <<A\nA \n A\n$(c2)\nA\nc3", &["c1", "c2", "c3"]),
    line("c1 <<A\n\\$(c2) \\`c3\\` \\\\$(c4)\nA\n", &["c1", "c4"]),
    line("c1 <<A\n${x:-$(c2)} $((1+1))\nA\n", &["c1", "c2"]),
    line("c1 \"$(c2 <<'A'\nit's ) $(c3)\nA\n)\" a", &["c1 · a", "c2"]),
    line("c1 <<A\nb", &["c1"]),
    line("c1 <<''\nb $(c2)\n\nc3", &["c1", "c3"]),
    line("while c1; do c2; break; done <<A\n$(c3)\nA\n", &["c1", "c2", "break", "c3"]),
    line("c1 <<A > f\nb \\\nc\nA\nc2", &["c1", "c2"]),
    // Compound commands.
    line("(c1; c2) | { c3; c4; } >f", &["c1", "c2", "c3", "c4"]),
    line("( ( c1 ) ); (c2)&(c3)", &["c1", "c2", "c3"]),
    line("if c1; then c2; elif c3; then c4; else c5; fi >f", &["c1", "c2", "c3", "c4", "c5"]),
    line("if ! c1; then c2\nfi", &["c1", "c2"]),
    line("if (c1) then { c2; } fi", &["c1", "c2"]),
    line("while c1; do c2; break; done | c3", &["c1", "c2", "break", "c3"]),
    line("until c1; do c2; break; done &", &["c1", "c2", "break"]),
    line("for x in a \"b c\" $(c1); do c2 $x; done", &["c1", "c2 ·"]),
    line("for x\nin a b\ndo c1; done; for x; do c2; done; for x do c3; done", &["c1", "c2", "c3"]),
    line("for x in a; { c1; }", &["c1"]),
    line("for ((i=0; i<2; i++)); do c1 $i; done", &["c1 ·"]),
    line("case $(c1) in a|b) c2;; (\"c)\") c3;; *) c4; esac", &["c1", "c2", "c3", "c4"]),
    line("case x in x) c1;& y) c2;;& *) ;; esac; c3", &["c1", "c2", "c3"]),
    line("case x in esac; c1", &["c1"]),
    line("select x in a b; do c1; break; done", &["c1", "break"]),
    line("f() { c1 \"$@\"; }; f a", &["c1 ·", "f a"]),
    line("function f { c1; }; function g() ( c2 ); f; g", &["c1", "c2", "f", "g"]),
    line("f()\n{\nc1\n} >f; f", &["c1", "f"]),
    line("[[ -f $(c1) && ! ( a < b || x == *$(c2)* ) ]] && c3", &["c1", "c2", "c3"]),
    line("[[ $x =~ ^(a|b)+$ ]] || c1; [[ x == @(a|x) ]] && c2", &["c1", "c2"]),
    line("[[ $n -gt 3 ]] || c1; [[ ${#x} -eq 0 ]] && c2", &["c1", "c2"]),
    line("((n++)); (( 1 << 2 )) && c1; ((n > 3 ? 1 : 0)) || c2", &["c1", "c2"]),
    line("coproc c1 a; coproc { c2; }; coproc N { c3; }", &["c1 a", "c2", "c3"]),
    // Assignments.
    line("A=1 B=\"x y\" c1 a", &["c1 a"]),
    line("A=$(c1) B=`c2` c3; A=1; A+=2", &["c3", "c1", "c2"]),
    line("\"A\"=1 x; A\\=1 y; 1A=2 z", &["A=1 x", "A=1 y", "1A=2 z"]),
    line("y=(1 $(c1) \"$(c2)\" [3]=$(c3)); y[0]=1 y[n+1]=$(c4) c5", &["c1", "c2", "c3", "c5", "c4"]),
    line("declare -a y=(1 $(c1)); export A=$(c2) B=\"c d\"", &["declare -a ·", "c1", "export · B=c␣d", "c2"]),
    line("m[\"k\"]=1; y=(\n  a # why\n  b\n)", &[]),
];

/// Lines that a shell itself refuses.
pub const INVALID: &[&str] = &[
    "c1 ;; c2", "c1 & & c2", "&& c1", "c1 |", "c1 &&", ";", "c1 &; c2", "c1 | | c2", "|| c1", "c1 ; ; c2", "{ c1 }", "}", "()", "{ }", "( )", "(c1",
    "c1)", "{ c1;", "if c1; then fi", "if c1; c2; fi", "if c1; then c2", "for x in a; c1; done", "while c1; done", "case x in a) c1", "done", "fi; c1", "then",
    "f() c1", "f() ", "c1 x (y)", "c1 A=(b)", "c1 >", "c1 2>&", "c1 <<", "echo \"abc", "echo 'abc", "echo $'abc", "echo `c1", "echo $(c1", "echo $(c1))",
    "echo $(c1;;)", "echo ${x", "echo ${x:-\"}", "echo \"${x\"", "echo $((1", "echo \\$(c1)", "c1 <(c2", "[[ a", "[[ a == (b ]]", "[[ a && ]]", "[[ -f ]]", "c1 !(a)",
    "c1 @(a|b)", "(c1) c2", "{ c1; } c2", "if c1; then c2; fi c3", "c1 | ! c2", "esac", "for 'x' in a; do c1; done", "(( 1", "time |",
];

/// Lines that run something, and that are not guessed at.
pub const DOUBTFUL: &[&str] = &[
    // Evaluated, or expanded twice.
    "x='a[$(c1)]'; echo $((x))", "x=$1; ((x))", "read x; echo ${y[x]}", "for x in $(c1); do ((x)); done", "x='a[$(c1)]'; [[ $x -eq 1 ]]", "[[ -v a[0] ]]",
    "[ -v 'a[$(c1)]' ]", "let 'a[$(c1)]=1'", "declare -i x='a[$(c1)]'", "declare -n x=y", "printf -v 'a[$(c1)]' b", "unset 'a[$(c1)]'", "c1 >&'$(c2)'",
    "c1 >&$x", "echo ${!x}", "echo ${x@P}", "x='-v a[$(c1)]'; [ $x ]", "declare 'x=(a)'", "declare -a x=$y", "export $x", "eval 'echo $((x))'", "echo $((a[$(c1)]))",
    "mapfile -C c1 -c 1 x", "x=1; eval y=2; echo $((x))",
    // What may be a subshell or arithmetic.
    "((c1); (c2))", "echo $((c1); (c2))", "echo $((1+$(c1 # ) \n)))", "((c1 'a'))", "$(( \"1\" ))",
    // What shells read differently, or write anew.
    "echo `c1 \\`c2\\``", "echo \"${x:-'$(c1)'}\"", "c1 >&-la", "[$>(c1)]=", "c1 2\\\n>f", "A\\\n=1 c1", "i\\\nf c1", "c1 <<$x\nb\n$x\n", "c1 <<A\na\\\nA\nb\nA\n",
    "c1 <<A\nA\\\n\nA\n", "c1 \"$(c2 <<A\nA)\nA\n)\"", "c1 $(c2 <<A)\nb\nA\n", "x=$(c1 <<A; c2\nb\nA\n)", "echo $(coproc c1)", "c1 <<A \"b\nc\"\nd\nA\n", "a[0 c1", "a[c1", ">f if",
    "A=1 if", "time -v c1", "!(c1)", "{$(c1),b}", "c1 &\\\n& c2", "f?() { c1; }", "set +B; c{1,2}", "c1 $(time { c2; })", "c1 {a[0]}>f x", "c1 99999999999>f",
];
