//! Every wrapper with a line that it matches and one that it does not.

use super::table::{WRAPPERS, Wrapper};
use super::words::shown;
use crate::script::{Language, What};
use crate::{Survey, survey};

/// Wrapper, a line that runs something inside, what that is, and a line from which nothing is followed: because
/// nothing is run, or because it cannot be known what.
const EXAMPLES: &[(&str, &str, &str, &str)] = &[
    ("command", "command -p ls -l", "ls -l", "command -v ls"),
    ("builtin", "builtin cd /x", "cd /x", "builtin -x cd"),
    ("exec", "exec -a name ls", "ls", "exec -z ls"),
    ("nocorrect", "nocorrect ls", "ls", "nocorrect"),
    ("noglob", "noglob ls x", "ls x", "noglob"),
    ("sudo", "sudo -u root --login A=b rm x", "rm x", "sudo --frobnicate rm x"),
    ("doas", "doas -n -u www rm x", "rm x", "doas -C /etc/doas.conf rm x"),
    ("pkexec", "pkexec --user bob rm x", "rm x", "pkexec --version"),
    ("gosu", "gosu -- rm x", "rm x", "gosu --x rm"),
    ("su-exec", "su-exec rm x", "rm x", "su-exec"),
    ("runuser", "runuser -u bob -- rm x", "rm x", "runuser -u bob --frob rm"),
    ("setpriv", "setpriv --reuid 1000 --clear-groups rm x", "rm x", "setpriv --dump"),
    ("env", "env -i -u HOME A=b rm x", "rm x", "env --frob rm x"),
    ("env", "env -S 'rm -rf x' y", "rm -rf x y", "env -S 'rm \"$X\"' y"),
    ("nohup", "nohup rm x", "rm x", "nohup --help"),
    ("nice", "nice -n 5 rm x", "rm x", "nice --frob rm"),
    ("ionice", "ionice -c2 -n 7 rm x", "rm x", "ionice -p 12"),
    ("timeout", "timeout -s KILL --kill-after=5 1m rm x", "rm x", "timeout --frob 5 rm x"),
    ("gtimeout", "gtimeout 5 rm x", "rm x", "gtimeout -z 5 rm"),
    ("time", "command time -f %e rm x", "time -f %e rm x", "command -v time"),
    ("gtime", "gtime -v rm x", "rm x", "gtime -z rm"),
    ("stdbuf", "stdbuf -oL -e0 rm x", "rm x", "stdbuf -q rm"),
    ("setsid", "setsid -w rm x", "rm x", "setsid -z rm"),
    ("unbuffer", "unbuffer -p rm x", "rm x", "unbuffer -z rm"),
    ("arch", "arch -arm64 rm x", "rm x", "arch"),
    ("caffeinate", "caffeinate -i -t 60 rm x", "rm x", "caffeinate -z rm"),
    ("chronic", "chronic rm x", "rm x", "chronic -z rm"),
    ("chrt", "chrt -b 0 rm x", "rm x", "chrt -m"),
    ("taskset", "taskset -c 0,1 rm x", "rm x", "taskset -p 1"),
    ("numactl", "numactl -N 0 rm x", "rm x", "numactl --frob rm"),
    ("fakeroot", "fakeroot -s f rm x", "rm x", "fakeroot -z rm"),
    ("dbus-run-session", "dbus-run-session -- rm x", "rm x", "dbus-run-session --frob rm"),
    ("setarch", "setarch x86_64 -R rm x", "rm x", "setarch --frob rm x"),
    ("setarch", "setarch -R <<< 'rm x'", "rm x", "setarch --list"),
    ("linux32", "linux32 -R rm x", "rm x", "linux32"),
    ("linux64", "linux64 rm x", "rm x", "linux64 --frob rm x"),
    ("i386", "i386 rm x", "rm x", "i386 --frob rm x"),
    ("x86_64", "echo 'rm x' | x86_64", "rm x", "x86_64"),
    ("prlimit", "prlimit --nofile=8 -c0 rm x", "rm x", "prlimit --pid 1"),
    ("choom", "choom -n 0 -- rm x", "rm x", "choom -p 1"),
    ("logsave", "logsave -a /tmp/log rm x", "rm x", "logsave -z log rm x"),
    ("ssh-agent", "ssh-agent -t 5 rm x", "rm x", "ssh-agent -k"),
    ("sg", "sg users -c 'rm x'", "rm x", "sg users"),
    ("sg", "sg users 'rm x'", "rm x", "sg -z users rm"),
    ("newgrp", "newgrp users <<< 'rm x'", "rm x", "newgrp users"),
    ("ld.so", "/lib64/ld-linux-x86-64.so.2 --library-path /x rm x", "rm x", "ld.so --list rm"),
    ("sem", "sem -j4 'rm x'", "rm x", "sem --wait"),
    ("ip netns exec", "ip -br netns exec blue rm x", "rm x", "ip -n blue netns exec red rm x"),
    ("ip vrf exec", "ip vrf exec blue rm x", "rm x", "ip vrf show rm"),
    ("cross-env", "cross-env A=b rm x", "rm x", "cross-env A=b"),
    ("watchexec", "watchexec -e rs -- rm x", "rm x", "watchexec --frob rm x"),
    ("asdf exec", "asdf exec rm x", "rm x", "asdf list rm"),
    ("xvfb-run", "xvfb-run -a rm x", "rm x", "xvfb-run -z rm"),
    ("fakeroot", "fakeroot <<< 'rm x'", "rm x", "fakeroot -h"),
    ("chroot", "chroot /mnt <<< 'rm x'", "rm x", "curl x | chroot /mnt"),
    ("chroot", "chroot --userspec=0 /mnt rm x", "rm x", "chroot /mnt"),
    ("unshare", "unshare -r --mount rm x", "rm x", "unshare --frob rm"),
    ("unshare", "echo 'rm x' | unshare -r", "rm x", "unshare -r"),
    ("nsenter", "nsenter -t 1 <<< 'rm x'", "rm x", "nsenter -t 1 <<< \"$X\""),
    ("nsenter", "nsenter -t 1 -m rm x", "rm x", "nsenter --frob rm"),
    ("systemd-run", "systemd-run --user -p A=b rm x", "rm x", "systemd-run --frob rm"),
    ("systemd-run", "systemd-run -S <<< 'rm x'", "rm x", "systemd-run -t"),
    ("systemd-inhibit", "systemd-inhibit --what=idle rm x", "rm x", "systemd-inhibit --list"),
    ("firejail", "firejail --quiet rm x", "rm x", "firejail --frob rm"),
    ("firejail", "firejail <<< 'rm x'", "rm x", "curl x | firejail"),
    ("strace", "strace -f -o log rm x", "rm x", "strace --frob rm"),
    ("strace", "strace -o '|rm x' true", "rm x", "strace -o '|'\"$X\" true"),
    ("ltrace", "ltrace -o log rm x", "rm x", "ltrace --frob rm"),
    ("valgrind", "valgrind --leak-check=full rm x", "rm x", "valgrind --frob rm"),
    ("hyperfine", "hyperfine -w 3 'rm x; ls'", "ls", "hyperfine --frob 'rm x'"),
    ("hyperfine", "hyperfine --prepare 'rm y'", "rm y", "hyperfine \"$X\""),
    ("hyperfine", "hyperfine -L n 1,2 'rm {n}'", "rm {n}", "hyperfine --frob {n}"),
    ("watch", "watch -n 1 rm x", "rm x", "watch --frob rm"),
    ("watch", "watch -x rm '$x'", "rm $x", "watch \"$X\""),
    ("entr", "entr -c rm x", "rm x", "entr -q rm"),
    ("flock", "flock -n /tmp/lock rm x", "rm x", "flock --frob /tmp/lock rm"),
    ("flock", "flock /tmp/lock -c 'rm x'", "rm x", "flock 9"),
    ("script", "script -qc 'rm x' log", "rm x", "script --frob rm"),
    ("script", "script -q /dev/null <<< 'rm x'", "rm x", "curl x | script log"),
    ("script", "script log -qc 'rm x'", "rm x", "script log"),
    ("sshpass", "sshpass -p secret rm x", "rm x", "sshpass -z rm"),
    ("uv run", "uv run --with rich rm x", "rm x", "uv run --frob rm"),
    ("uv run", "uv run --frozen pytest -q", "pytest -q", "uv --frob run rm"),
    ("uv run", "uv --quiet run rm x", "rm x", "uv -q pip install rm"),
    ("uvx", "uvx --from a rm x", "rm x", "uvx --frob rm"),
    ("uv tool run", "uv tool run rm x", "rm x", "uv tool install rm"),
    ("poetry run", "poetry run rm x", "rm x", "poetry install"),
    ("poetry run", "poetry -C web run rm x", "rm x", "poetry -C run install rm"),
    ("pipenv run", "pipenv run rm x", "rm x", "pipenv lock"),
    ("pdm run", "pdm run -s rm x", "rm x", "pdm run --frob rm"),
    ("hatch run", "hatch run rm x", "rm x", "hatch build"),
    ("rye run", "rye run rm x", "rm x", "rye sync"),
    ("pipx run", "pipx run --spec a rm x", "rm x", "pipx install rm"),
    ("bundle exec", "bundle exec rm x", "rm x", "bundle install"),
    ("npx", "npx --yes -p a rm x", "rm x", "npx --frob rm"),
    ("npx", "npx -c 'rm x'", "rm x", "npx -c \"$X\""),
    ("npm exec", "npm exec -- rm x", "rm x", "npm install rm"),
    ("npm x", "npm x -y rm x", "rm x", "npm test"),
    ("pnpm exec", "pnpm exec -r rm x", "rm x", "pnpm install"),
    ("pnpm exec", "pnpm --filter web exec rm x", "rm x", "pnpm --filter exec install rm"),
    ("npm exec", "npm --prefix web exec rm x", "rm x", "npm --frob exec rm"),
    ("pnpm dlx", "pnpm dlx rm x", "rm x", "pnpm dlx --frob rm"),
    ("pnpx", "pnpx rm x", "rm x", "pnpx --frob rm"),
    ("yarn exec", "yarn exec rm x", "rm x", "yarn add rm"),
    ("yarn dlx", "yarn dlx -p a rm x", "rm x", "yarn dlx --frob rm"),
    ("bunx", "bunx rm x", "rm x", "bunx --frob rm"),
    ("bun x", "bun x rm x", "rm x", "bun test"),
    ("conda run", "conda run -n env rm x", "rm x", "conda run --frob rm"),
    ("mamba run", "mamba run -n env rm x", "rm x", "mamba list"),
    ("direnv exec", "direnv exec . rm x", "rm x", "direnv allow"),
    ("rtk", "rtk rm x", "rm x", "rtk --frob rm"),
    ("rustup run", "rustup run stable rm x", "rm x", "rustup show"),
    ("nix-shell", "nix-shell -p git --run 'rm x'", "rm x", "nix-shell --frob"),
    ("nix-shell", "nix-shell -p git <<< 'rm x'", "rm x", "nix-shell -p git"),
    ("perf stat", "perf stat -r 3 rm x", "rm x", "perf report"),
    ("perf record", "perf record -g rm x", "rm x", "perf record --frob rm"),
    // Those with rules of their own.
    ("sh", "sh -ec 'rm x'", "rm x", "sh -c \"$X\""),
    ("bash", "bash --norc -O extglob -lc 'rm x' arg", "rm x", "bash script.sh"),
    ("bash", "bash +x -o pipefail -c 'rm x'", "rm x", "bash -n"),
    ("bash", "bash <<< 'rm x'", "rm x", "bash <<< \"$X\""),
    ("bash", "bash <<EOF\nrm x\nEOF", "rm x", "bash < file"),
    ("bash", "echo 'rm x' | bash", "rm x", "cat file | bash"),
    ("bash", "printf 'rm %s\\n' x | bash -s", "rm x", "printf \"$X\" | bash"),
    ("bash", "cat <<'EOF' | sudo bash\nrm x\nEOF", "rm x", "echo a | (bash; bash)"),
    ("bash", "bash /dev/fd/3 3<<< 'rm x'", "rm x", "bash /dev/fd/3"),
    ("bash", "echo 'rm x' | bash /dev//./stdin", "rm x", "bash /dev/fd/3 <<< 'rm x'"),
    ("bash", "bash /tmp/../proc/self/fd/0 <<< 'rm x'", "rm x", "bash /proc/7/fd/0 <<< 'rm x'"),
    ("bash", "sh -c 'bash /dev/stdin' <<< 'rm x'", "rm x", "bash --rcfile /dev/fd/3 -i 3<<< 'rm x'"),
    ("zsh", "zsh -c 'rm x'", "rm x", "zsh file"),
    ("fish", "echo", "echo", "fish -c 'rm x'"),
    ("busybox", "busybox sh -c 'rm x'", "rm x", "busybox --list"),
    ("toybox", "toybox rm x", "rm x", "toybox -z rm"),
    ("eval", "eval rm 'x y' z", "rm x y z", "eval \"$X\""),
    ("nu", "nu -n -c 'ls | each {|f| rm $f.name }'", "rm …", "nu --version"),
    ("nu", "nu --commands 'let x = 1; ^rm $\"x\"; sh -c \"rm y\"'", "rm y", "nu -c \"$X\""),
    ("nu", "nu -nc 'do { sudo bash -c \"rm x\" }' ", "rm x", "nu -c 'rm x' -c 'rm y'"),
    ("nu", "nu /dev/stdin <<< 'rm x'", "rm x", "nu rm"),
    ("nu", "sh -c 'nu -c \"rm x\"'", "rm x", "nu -e 'rm x'"),
    ("su", "su - bob -c 'rm x'", "rm x", "su bob -c \"$X\""),
    ("find", "find . -name x -exec rm -f {} +", "rm -f …", "find . -name rm"),
    ("find", "find . -okdir rm x \\;", "rm x", "find . $X"),
    ("find", "find . -exec rm a \\; -exec rm b \\;", "rm b", "find . \"$X\" rm x \\;"),
    ("fd", "fd -H -e o -x rm {}", "rm …", "fd -Hx rm"),
    ("fd", "fd -X rm", "rm …", "fd rm"),
    ("xargs", "xargs -0 -n 1 rm -f", "rm -f …", "xargs --frob rm"),
    ("xargs", "xargs -I{} rm a{}b", "rm a…b", "xargs -I{} {} x"),
    ("xargs", "echo a b | xargs rm", "rm a b", "ls | xargs sh -c"),
    ("xargs", "echo a b | xargs -n1 rm", "rm …", "echo 'true rm' | xargs -n1 env"),
    ("xargs", "printf 'a\\nb c\\n' | xargs -L1 rm", "rm …", "printf 'true\\nrm x\\n' | xargs -L1 env"),
    ("xargs", "echo a | xargs -I{} rm {}", "rm a", "echo 'rm x' | xargs -I{} -n1 sh -c"),
    ("parallel", "parallel rm ::: a", "rm a", "parallel 'rm {}; ls' ::: a"),
    ("parallel", "parallel rm ::: a b", "rm …", "parallel env ::: ls rm"),
    ("parallel", "echo 'a b' | parallel rm", "rm a b", "parallel sh -c ::: ls 'rm x'"),
    ("parallel", "parallel -j4 rm {} ::: a", "rm …", "ls | parallel"),
    ("parallel", "parallel ::: 'rm a' 'rm b'", "rm b", "parallel $X ::: a"),
    ("git", "git -c alias.x='!rm x' x", "rm x", "git commit -m '!rm x'"),
    ("git", "git -c alias.l='log --oneline' l -3", "git log --oneline -3", "git -c user.name=rm status"),
    ("git", "git -c core.pager='sh -c \"rm x\"' log", "rm x", "git -c \"$X\" log"),
    ("git", "git rebase -x 'rm x' main", "rm x", "git rebase main"),
    ("git", "git rebase -ix 'rm x' main", "rm x", "git rebase -Xx main"),
    ("git", "git clone -qu 'rm x' . d", "rm x", "git clone -bu x d"),
    ("git", "git grep -nO'rm x' hello", "rm x", "git grep -O rm"),
    ("git", "git clone --config core.sshCommand='rm x' ssh://a/b d", "rm x", "git clone -c user.name=rm a"),
    ("git", "git clone -c alias.x='!rm x' a", "rm x", "git clone -c core.pager=\"$X\" a"),
    ("git", "git config --global alias.x '!rm x' && git x", "rm x", "git config --global alias.x rm"),
    ("git", "git config core.editor 'vim; rm x'", "rm x", "git config core.editor vim"),
    ("git", "git config set core.pager 'rm x'", "rm x", "git config --get core.pager"),
    ("git", "git -c tar.foo.command='rm x' archive HEAD", "rm x", "git -c tar.umask=rm archive HEAD"),
    ("git", "git -c gpg.ssh.defaultKeyCommand='rm x' commit -S", "rm x", "git -c gpg.format=rm commit"),
    ("git", "git -c submodule.a.update='!rm x' submodule update", "rm x", "git -c submodule.a.update=none pull"),
    ("git", "git -c imap.tunnel='rm x' imap-send", "rm x", "git -c imap.host=rm imap-send"),
    ("git", "git send-email --to-cmd 'rm x' a", "rm x", "git send-email --to rm a"),
    ("git", "git -c protocol.ext.allow=always ls-remote 'ext::rm x'", "rm x", "git ls-remote 'ext::sh -c rm% x'"),
    ("git", "git remote add e 'ext::rm x'", "rm x", "git remote add e https://rm/x"),
    ("git", "git archive --remote='ext::rm x' HEAD", "rm x", "git -c url.ext::rm.insteadOf=a fetch a"),
    ("git", "git bisect run rm x", "rm x", "git bisect start"),
    ("git", "git submodule foreach --recursive 'rm x'", "rm x", "git submodule update"),
    ("git", "git filter-branch --tree-filter 'rm x' HEAD", "rm x", "git filter-branch \"$X\" $Y"),
    ("ssh", "ssh -p 22 host -t rm x", "rm x", "ssh host"),
    ("ssh", "ssh -o ProxyCommand='rm x' host", "rm x", "ssh -o \"$X\" host"),
    ("tar", "tar -xf a --to-command='rm x'", "rm x", "tar -xf a"),
    ("tar", "tar -cf a --checkpoint-action=exec='rm x' b", "rm x", "tar -cIf 'rm x' a"),
    ("tar", "tar --use-comp='rm x' -cf a b", "rm x", "tar cfI a 'rm x' b"),
    ("git", "git rebase --ex='rm x' main", "rm x", "git rebase --onto rm"),
    ("rsync", "rsync -avze 'rm x' a b:c", "rm x", "rsync -aTe 'rm x' b"),
    ("rsync", "rsync -ave'rm x' a b:c", "rm x", "rsync --exclude 'rm x' a b"),
    ("man", "man -aP 'rm x' ls", "rm x", "man -SP ls"),
    ("awk", "awk '{ print $1 | \"rm x\" }'", "rm x", "awk '{ print $1 \" | rm\" }'"),
    ("awk", "awk -vname=1 'BEGIN { while ((\"rm x\" | getline l) > 0) print l }'", "rm x", "awk '/a|rm/ || /\"|\"rm/'"),
    ("awk", "awk -F/ '/\"/ { system(\"rm x\") }'", "rm x", "awk '{ system(\"rm \" $1) }'"),
    ("awk", "awk '{ print | \"rm x\"; x = 1 / 2 } # |'", "rm x", "awk 'BEGIN { \"a\" \"rm\" | getline }'"),
    ("awk", "awk '{ x = (a) / 2; print y / \"1\" | \"rm x\" }'", "rm x", "awk '{ if (a) /\"/; print | \"rm\" #\"\n}'"),
    ("scp", "scp -oStrictHostKeyChecking=no -o ProxyCommand='rm x' a b:", "rm x", "scp -o \"$X\" a b:"),
    ("cargo watch", "cargo watch -qs 'rm x'", "rm x", "cargo run -- -s 'rm x'"),
    ("go", "go test -exec 'rm x' ./...", "rm x", "go test -run 'rm x'"),
    ("zip", "zip -TT 'rm x' a b", "rm x", "zip -T a rm"),
    ("nix", "nix shell n#x --command rm x", "rm x", "nix run n#x -- -c rm x"),
    ("nix", "nix develop -c rm x", "rm x", "nix eval -c rm"),
    ("mise", "mise exec node@20 -- rm x", "rm x", "mise run test -- rm x"),
    ("mise", "mise x -c 'rm x'", "rm x", "mise install rm"),
    ("npm", "npm explore p -- rm x", "rm x", "npm run p -- rm x"),
    ("at", "at now <<< 'rm x'", "rm x", "at -l"),
    ("rsync", "rsync -e 'ssh -p 1' a b:", "ssh -p 1", "rsync -a a b"),
    ("trap", "trap 'rm x' EXIT", "rm x", "trap - EXIT"),
    ("source", ". /dev/fd/3 3<<< 'rm x'", "rm x", ". \"$HOME/../../dev/fd/3\" 3<<< 'rm x'"),
    ("source", "source /dev/stdin <<< 'rm x'", "rm x", "source file"),
    ("variables", "GIT_PAGER='rm x' git log", "git log", "PAGER=\"$X\" man ls"),
    ("variables", "EDITOR='rm x'", "rm x", "A='rm x'"),
];

fn lines(survey: &Survey) -> Vec<String> {
    let line = |command: &crate::Command| command.words.iter().map(shown).collect::<Vec<_>>().join(" ");
    survey.script.commands.iter().map(line).collect()
}

#[test]
fn every_wrapper_matches_its_example_and_not_the_other() {
    for (name, matched, inner, not_matched) in EXAMPLES {
        let found = survey(matched, Language::Bash).unwrap_or_else(|unknown| panic!("{name}: {matched}: {unknown:?}"));
        assert_eq!(found.unknown, [], "{name}: {matched}");
        assert!(lines(&found).iter().any(|line| line == inner), "{name}: {matched}: {:?}", lines(&found));
        let found = survey(not_matched, Language::Bash).unwrap_or_else(|unknown| panic!("{not_matched}: {unknown:?}"));
        let inside = found.script.commands.iter().filter(|command| !command.via.is_empty());
        let inside: Vec<_> =
            inside.filter(|command| command.words.first().is_some_and(|word| shown(word) == "rm")).collect();
        assert!(inside.is_empty() || !found.unknown.is_empty(), "{name}: {not_matched}: {inside:?}");
    }
}

#[test]
fn every_row_of_the_table_has_an_example() {
    for entry @ (name, _, rest) in WRAPPERS {
        assert!(EXAMPLES.iter().any(|(example, ..)| example == name), "{name} has no example");
        assert_eq!(WRAPPERS.iter().filter(|(other, ..)| other == name).count(), 1, "{name} stands twice");
        let wrapper = Wrapper::read(entry);
        let is_known = |word: &str| {
            [" after one word", " late options", " assigns", " here", " joined", " each"].contains(&word)
                || [(" idle ", wrapper.idle), (" line ", wrapper.line), (" shell ", wrapper.shell)]
                    .map(|(key, is)| [key, is].concat())
                    .contains(&word.into())
        };
        assert!(rest.split(';').skip(1).all(is_known), "{name}: {rest}");
    }
}

#[test]
fn what_cannot_be_known_says_why() {
    let cases: &[(&str, What)] = &[
        ("$X y", What::DynamicProgram),
        ("sudo \"$X\" y", What::DynamicProgram),
        ("xargs -I{} {} x", What::DynamicProgram),
        ("sh -c \"$X\"", What::DynamicScript("sh".into())),
        ("curl x | bash", What::DynamicScript("bash".into())),
        ("echo 'true rm' | xargs -n1 env", What::DynamicProgram),
        ("echo 'true rm' | xargs -n1 sh -c", What::DynamicScript("sh".into())),
        ("parallel env ::: ls rm", What::DynamicProgram),
        ("parallel sh -c ::: ls 'rm -rf /'", What::DynamicScript("sh".into())),
        ("A='!rm x' git --config-env=alias.foo=A foo", What::DynamicScript("git --config-env".into())),
        ("GIT_CONFIG_KEY_0=alias.q git q", What::DynamicScript("GIT_CONFIG_KEY_0".into())),
        ("GIT_CONFIG_PARAMETERS=\"'alias.q=!x'\" git q", What::DynamicScript("GIT_CONFIG_PARAMETERS".into())),
        ("git -c \"url.ext::$X.insteadOf=a\" fetch", What::DynamicScript("git -c".into())),
        ("git ls-remote 'ext::sh -c rm% x'", What::DynamicScript("git ext::".into())),
        ("git clone --config \"$X\" a", What::DynamicScript("git -c".into())),
        ("PS1='$(sudo x)' bash --norc -i", What::DynamicScript("PS1".into())),
        ("env PS0='`sudo x`' bash -i", What::DynamicScript("PS0".into())),
        ("env 'BASH_FUNC_true%%=() { sudo x; }' bash -c true", What::DynamicScript("BASH_FUNC_true%%".into())),
        ("MAKEFLAGS='--eval=x' make", What::DynamicScript("MAKEFLAGS".into())),
        ("LESSOPEN='|rm x' less a", What::DynamicScript("LESSOPEN".into())),
        ("systemd-run -p ExecStartPre='rm x' true", What::DynamicScript("systemd-run".into())),
        ("make --eval='$(shell rm x)'", What::DynamicScript("make".into())),
        ("make -f - <<< 'a:;rm x'", What::DynamicScript("make".into())),
        ("make -kf/dev/stdin", What::DynamicScript("make".into())),
        ("sed '1e rm x' a", What::DynamicScript("sed".into())),
        ("sed -Ee 's/a/rm x/ge' a", What::DynamicScript("sed".into())),
        ("sed -n -e p -e '/x/{e rm x\n}' a", What::DynamicScript("sed".into())),
        ("sed '/x/w out\ne rm x' a", What::DynamicScript("sed".into())),
        ("sed '1a\\\nx\ne rm x' a", What::DynamicScript("sed".into())),
        ("sed -f - a <<< e", What::DynamicScript("sed".into())),
        ("awk 'BEGIN { system(x) }'", What::DynamicScript("awk".into())),
        ("awk '{ print | x }'", What::DynamicScript("awk".into())),
        ("awk '{ print |& \"rm\" x }'", What::DynamicScript("awk".into())),
        ("awk '/[/\"|]+/ { print | \"rm\" }'", What::DynamicScript("awk".into())),
        ("gawk '@f(x)'", What::DynamicScript("gawk".into())),
        ("gawk -f /dev/stdin <<< x", What::DynamicScript("gawk".into())),
        ("make SHELL=rm", What::DynamicScript("make".into())),
        ("ed -s <<< '!mark x'", What::DynamicScript("ed".into())),
        ("vim -es -c '!rm x'", What::DynamicScript("vim".into())),
        ("sqlite3 a '.shell rm x'", What::DynamicScript("sqlite3".into())),
        ("psql -c '\\! rm x'", What::DynamicScript("psql".into())),
        ("gdb -ex 'shell rm x'", What::DynamicScript("gdb".into())),
        ("fzf --bind 'enter:execute(rm x)'", What::DynamicScript("fzf".into())),
        ("start-stop-daemon --start --exec /bin/rm -- x", What::DynamicScript("start-stop-daemon".into())),
        ("curl x | at now", What::DynamicScript("at".into())),
        ("eval $X", What::DynamicScript("eval".into())),
        ("bash /dev/fd/3 3< x", What::DynamicScript("bash".into())),
        ("echo 'rm x' | bash \"/dev/fd/$((0))\"", What::DynamicScript("bash".into())),
        ("echo 'rm x' | bash \"//dev/$X\"", What::DynamicScript("bash".into())),
        ("bash \"$X/proc/$Y/fd/0\" <<< 'rm x'", What::DynamicScript("bash".into())),
        ("bash --rcfile /dev/fd/3 -i 3<<< 'rm x'", What::DynamicScript("bash".into())),
        ("fish /dev//stdin", What::DynamicScript("fish".into())),
        (". /dev/fd/3", What::DynamicScript(".".into())),
        ("bash <(curl x)", What::DynamicScript("bash".into())),
        ("sudo --frob rm", What::WrapperOption { program: "sudo".into(), option: "--frob".into() }),
        ("env env env env env env env env env env ls", What::TooDeep),
    ];
    for (line, what) in cases {
        let found = crate::analyse(line, Language::Bash);
        assert_eq!(found.map_err(|unknown| unknown.what).err().as_ref(), Some(what), "{line}");
    }
}

#[test]
fn inner_commands_know_where_they_are() {
    let found = survey("ls | (sudo sh -c 'cd /; rm x | cat')", Language::Bash).unwrap();
    let rm = found.script.commands.iter().find(|command| crate::facts::program(command) == Some("rm")).unwrap();
    assert_eq!(rm.via.iter().map(|via| via.wrapper.as_str()).collect::<Vec<_>>(), ["sudo", "sh -c"]);
    assert!(rm.nesting.contains(&crate::Nesting::Subshell));
    let (ls, inner) = (found.script.commands[0].pipe.unwrap(), rm.pipe.unwrap());
    assert_ne!(ls.pipeline, inner.pipeline);
    for command in &found.script.commands {
        let mut scope = Some(command.scope);
        for _ in 0..found.script.scopes.len() {
            scope = scope.and_then(|scope| found.script.scopes[scope].parent);
        }
        assert_eq!(scope, None, "scopes end at the outermost");
    }
}
