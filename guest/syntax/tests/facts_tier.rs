//! The tiers: how much a line may change, by tables of lines.

use shellward_syntax::facts::{Tier, tier};
use shellward_syntax::{Language, Script, survey};

fn script(line: &str) -> Script {
    let found = survey(line, Language::Bash);
    assert!(found.is_ok(), "{line}: {found:?}");
    found.map(|survey| survey.script).unwrap_or_default()
}

#[test]
fn tiers() {
    let read_only = [
        "ls -la",
        "git status",
        "git log --oneline | head -20",
        "cat a b | grep -v x | sort | uniq -c",
        "find . -name '*.rs' -type f",
        "git diff HEAD~1 -- src",
        "git branch -a",
        "git remote -v",
        "git stash list",
        "git config --get user.name",
        "git tag -l 'v*'",
        "sed -n '1,20p' file",
        "sed 's/a/b/g' file",
        "sed -e '/x/d' -e 's,a,b,' f",
        "awk '{print $1}' file",
        "awk -F: '$3 > 5 {print $1}' f",
        "awk 'BEGIN { printf \"%s|%s\", a, b }'",
        "tar tf a.tar",
        "tar -tzvf a.tgz",
        "curl -s https://x",
        "curl -sSfL -o /dev/null https://x",
        "wget -qO- https://x",
        "npm ls",
        "npm view react version",
        "cargo tree",
        "cargo metadata --format-version 1",
        "docker ps -a",
        "docker compose logs -f",
        "kubectl get pods -n x",
        "kubectl --context c describe pod p",
        "systemctl status nginx",
        "ps aux",
        "ls > /dev/null 2>&1",
        "ls 2>&1 | head",
        "echo hi >&2",
        "test -f x && echo yes",
        "[ -d x ] || echo no",
        "cd src && ls",
        "pwd",
        "for f in a b; do wc -l $f; done",
        "if [ -f x ]; then cat x; fi",
        "x=$(git rev-parse HEAD); echo $x",
        "xargs grep foo",
        "find . -exec grep x {} +",
        "timeout 5 git log",
        "env A=b ls",
        "date +%s",
        "du -sh * | sort -h",
        "which cargo",
        "python3 --version",
        "sh -c 'ls | wc -l'",
        "GIT_PAGER=cat git log",
        "git -c color.ui=always diff",
        "git --no-pager show HEAD",
        "git -C dir status",
        "jq . a.json",
        "yq .a b.yaml",
        "diff a b",
        "/bin/ls",
        "greet() { echo hi; }; greet",
        "unzip -l a.zip",
        "gh pr view 1",
        "gh api repos/x/y",
        "base64 -d x",
        "go list ./...",
        "ip addr show",
        "crontab -l",
        "journalctl -u x",
        "git ls-files | xargs wc -l",
        "dpkg -l",
        "brew list",
        "gzip -dc a.gz",
        "cat <<< x",
        "cat <<'EOF'\nrm -rf /\nEOF",
    ];
    let read_write = [
        "rm x",
        "touch x",
        "unknown-program",
        "ls > out",
        "ls >> out",
        "ls &> out",
        "ls 2> err",
        "echo x | tee f",
        "git commit -m x",
        "git add .",
        "git push",
        "git branch new",
        "git branch -D x",
        "git tag v1",
        "git stash",
        "git config user.name x",
        "git checkout x",
        "git remote add a b",
        "git -c core.pager='rm x' log",
        "git -c core.hookspath=x status",
        "git log --output=f",
        "git diff --ext-diff",
        "git grep -O x",
        "git $X",
        "find . -delete",
        "find . -fprint f",
        "find . -exec rm {} +",
        "env rm x",
        "xargs rm",
        "sort -o f f",
        "sort --outp f f",
        "uniq a b",
        "sed -i s/a/b/ f",
        "sed -ni p f",
        "sed --in-place s/a/b/ f",
        "sed 'w out' f",
        "sed 's/a/b/w out' f",
        "sed 's/a/b/e' f",
        "sed '1e rm x' f",
        "sed -f s f",
        "sed \"$X\" f",
        "awk 'BEGIN{system(\"rm x\")}'",
        "awk '{print > \"out\"}'",
        "awk '{print | \"sh\"}'",
        "awk '\"date\" | getline'",
        "awk -f prog f",
        "awk \"$X\" f",
        "awk '/a/{print > \"x\"}'",
        "tar xf a",
        "tar cf a b",
        "tar -xzf a",
        "curl -o f https://x",
        "curl -O https://x",
        "curl -d a https://x",
        "curl -X POST https://x",
        "curl -sSo f https://x",
        "curl -K f",
        "wget https://x",
        "npm install",
        "npm run x",
        "cargo build",
        "cargo run",
        "docker run x",
        "docker rm x",
        "docker --frob ps",
        "yq -i .a=1 f",
        "PATH=. ls",
        "LD_PRELOAD=x ls",
        "GIT_DIR=x git status",
        "export PATH=.",
        "alias ls=rm",
        "source f",
        ". f",
        "bash script.sh",
        "./ls",
        "bin/cat x",
        "python -c 'print(1)'",
        "make",
        "xxd -r a b",
        "sort \"$X\"",
        "dd if=a of=b",
        "IFS=x; ls",
        "shopt -s expand_aliases",
        "enable -f x y",
        "hash -p x ls",
        "ls(){ rm x; }; ls",
        "f; f() { ls; }",
        "tree -o f",
        "gzip f",
        "unzip a.zip",
        "unzip a.zip -dl",
        "vim f",
        "perl -e 1",
        "less -o f g",
        "git bisect run ls",
        "git submodule foreach 'rm x'",
        "rsync a b",
        "PAGER='rm x' man ls",
        "cp a b",
        "chmod +x f",
        "kill 1",
        "history -c",
        "echo x >| f",
        "a=1 cmd",
    ];
    let admin = [
        "sudo ls",
        "doas ls",
        "su -c ls",
        "systemctl restart nginx",
        "mkfs.ext4 x",
        "shutdown now",
        "apt install x",
        "apt-get update",
        "useradd x",
        "mount /dev/sda1 /mnt",
        "chown x y",
        "kubectl delete pod x",
        "kubectl apply -f x",
        "iptables -F",
        "sysctl -w a=b",
        "rm -rf /",
        "rm -rf ~",
        "dd of=/dev/sda",
        "crontab -l; reboot",
        "dpkg -i x.deb",
        "terraform apply",
        "helm install x y",
        "date -s 2020-01-01",
        "service x stop",
        "modprobe x",
        "passwd",
        "ip link set x down",
        "nsenter -t 1 ls",
        "echo x > /dev/sda",
        "aws s3 rm s3://x",
    ];
    let tables: [(&[&str], Tier); 3] =
        [(&read_only, Tier::ReadOnly), (&read_write, Tier::ReadWrite), (&admin, Tier::Admin)];
    for (lines, expected) in tables {
        for line in lines {
            let (found, finding) = tier(&script(line));
            assert_eq!(found, expected, "{line}: {finding:?}");
            assert_eq!(finding.is_some(), expected != Tier::ReadOnly, "{line}");
        }
    }
}

#[test]
fn a_tier_names_its_word() {
    let cases = [
        ("ls; sort -o f f", "sort", "-o"),
        ("ls > out", "ls", "out"),
        ("git -C x commit", "git", "commit"),
        ("find . -delete", "find", "-delete"),
        ("docker container rm x", "docker", "rm"),
        ("xargs rm", "rm", "rm"),
    ];
    for (line, program, word) in cases {
        let (_, finding) = tier(&script(line));
        let finding = finding.unwrap();
        assert_eq!((finding.program.as_str(), finding.word.as_str()), (program, word), "{line}");
    }
}

/// Holds lines to a tier.
fn hold(expected: Tier, lines: &[&str]) {
    let found = |line: &str| tier(&script(line));
    let other: Vec<_> =
        lines.iter().map(|line| (line, found(line))).filter(|(_, (tier, _))| *tier != expected).collect();
    assert!(other.is_empty(), "not {expected:?}: {other:#?}");
}

#[test]
fn verbose_is_no_version() {
    hold(
        Tier::ReadWrite,
        &["pytest -v", "ninja -v", "tox -v", "just -v", "python3 -v", "mysql -v", "ansible -v", "make -v", "bash -v"],
    );
    let read =
        ["node -v", "ruby -v", "gcc -v", "tsc -v", "python3 -V", "java -version", "cargo -V", "pytest --version"];
    hold(Tier::ReadOnly, &read);
}

#[test]
fn the_letter_c_of_a_shell_is_before_its_script() {
    let write = [
        "bash ./evil.sh -c",
        "sh build.sh -clean",
        "bash --rcfile e.sh -ic true",
        "bash --init-file e.sh -c true",
        "bash -o pipefail x -c ls",
        "bash -- x -c",
    ];
    hold(Tier::ReadWrite, &write);
    let read =
        ["bash -c ls", "bash -lc 'ls | wc -l'", "bash -euo pipefail -c 'ls; pwd'", "sh -xc ls", "bash --version"];
    hold(Tier::ReadOnly, &read);
}

#[test]
fn a_label_of_sed_may_end_before_its_line() {
    let write = [
        "sed -n ':a;w out' in",
        "sed ':a;N;$!ba;w out' in",
        "sed 'b;w out' in",
        "sed 't;s/a/touch x/e' in",
        "sed ':a w out' in",
        "sed '/x/{ba};w out' in",
        "sed '/x/{ba}\nw out' in",
        // A label where only the line ends it.
        "sed ':a;s/x/y\\\nw out/' in",
        // What brackets hold.
        "sed 's/[]/]#/p;#/w out' in",
        "sed 's/[/]/w out' in",
        "sed 's/[/]/x/w out' in",
        "sed 's/[[:alpha:]/]/x/e' in",
        "sed 's/[[.a.]/]/x/' in",
        "sed 's/a/[/;#]/;w out' in",
    ];
    hold(Tier::ReadWrite, &write);
    let read = [
        "sed ':a;N;$!ba;s/\\n/ /g' in",
        "sed -e ':a' -e 'N;$!ba' -e 's/\\n/,/g' in",
        "sed -E ':a;s/^([0-9]+)([0-9]{3})/\\1,\\2/;ta' in",
        "sed '/x$/{:a;N;s/\\n//;ba}' in",
        "sed 's/[^/]*$//' in",
        "sed -E 's/[[:space:]/]+/-/g' in",
        "sed 's/[^\\n/]*//' in",
        "sed '/[/]x/d' in",
        "sed 's|[^|]*|x|p' in",
    ];
    hold(Tier::ReadOnly, &read);
}

#[test]
fn what_awk_prints_goes_on_in_the_next_line() {
    let write = [
        "awk '/x/ { print $1 \";\" $2 > \"f\" }'",
        "awk '/x/ { print \"}\" > \"f\" }'",
        "awk '{ print $1,\n$2 > \"f\" }'",
        "awk '{ print $1 \\\n > \"f\" }'",
        "awk '{ print $1, # x\n$2 > \"f\" }'",
        "awk '# say \"hi\n{ print > \"f\" } # \"'",
        "awk '{ print > \"/dev/stderr\" \"x\" }'",
        "awk '{ print > \"/dev/null/../x\" }'",
        "awk '{ print > \"/dev/stderr\"; print > \"f\" }'",
    ];
    hold(Tier::ReadWrite, &write);
    let read = [
        "awk '{ print $1 } $2 > 5 { print $2 }'",
        "awk '$3 > 5 && /x/ { print $1 }' f",
        "awk '{ print $1\n if ($2 > 3) n++ }' f",
        "awk '# say \"hi\n{ n++ } END { print n }' f",
        "awk '{ print > \"/dev/stderr\" }'",
        "awk '{ print \"a;b\"; x = (y > z) }' f",
        "awk -F/ '{ print $NF }' f",
    ];
    hold(Tier::ReadOnly, &read);
}

#[test]
fn listing_commands_of_git_can_write() {
    let write = [
        "git diff-files -p --output=f",
        "git whatchanged --output=f",
        "git stash list --output=f",
        "git stash show -p --output=g",
        "git reflog --output=f",
        "git reflog show --outp=f",
        "git reflog expire --all",
        "git clean -fen",
        "git clean -f -- -n",
        "git clean -e -n -f",
        "git bisect view push",
        "git format-patch -o --stdout HEAD~1",
        "git log --author -- --output=f",
        "git log --\"$X\"",
        "git stash -- list",
    ];
    hold(Tier::ReadWrite, &write);
    let read = [
        "git stash list",
        "git stash show -p 'stash@{0}'",
        "git reflog",
        "git reflog show -5",
        "git clean -n",
        "git clean -ndx",
        "git clean --dry-run -d",
        "git diff-files --name-only",
        "git format-patch --stdout -1",
        "git log --oneline -- \"$f\"",
        "git diff HEAD -- \"$f\"",
        "git log --format=\"$x\"",
        "git log -5 -- \"$f\"",
    ];
    hold(Tier::ReadOnly, &read);
}

#[test]
fn some_words_count_only_in_their_place() {
    let write = [
        "ar rcs lib.a p",
        "ar rc libt.a t",
        "7z x a.7z h",
        "conda config --set a b --get c",
        "go list -mod=mod ./...",
        "go list --mod=mod ./...",
        "go list -toolexec=./x ./...",
        "go env --w X=y",
        "go env -w X=y",
        "terraform fmt -check=false",
    ];
    hold(Tier::ReadWrite, &write);
    let read = [
        "ar t lib.a",
        "ar p lib.a x",
        "7z l a.7z",
        "conda config --show",
        "conda config --get channels",
        "go list -m all",
        "go list -json ./...",
        "go env GOPATH",
        "terraform fmt -check -recursive",
        "cargo fmt --all -- --check",
    ];
    hold(Tier::ReadOnly, &read);
    hold(Tier::Admin, &["dpkg --root /x -i -l", "rpm -i --root -q x.rpm"]);
    hold(Tier::ReadOnly, &["dpkg -l", "dpkg -L bash", "rpm -qa", "rpm -ql bash"]);
}

#[test]
fn readers_have_options_that_write() {
    let write = [
        "ptx -G in out",
        "ss -tD f",
        "ss -K dst 10.0.0.1",
        "fakeroot -s f ls",
        "scc -o f",
        "cloc --out=f .",
        "dmidecode --dump-bin f",
        "nvidia-smi -r",
        "terraform providers lock",
        "terraform providers mirror d",
        "kubectl kustomize -o d",
        "uv tree",
        "parallel --joblog f ls",
        "bat cache --clear",
        "docker buildx inspect --bootstrap",
        "ugrep --filter=x:./x a",
        "ffprobe -o f a.mp4",
        "info --dribble=f",
        "journalctl --update-catalog",
        "identify -write b.png a.png",
    ];
    hold(Tier::ReadWrite, &write);
    hold(Tier::Admin, &["ip link s lo up", "ip l s lo up", "ip -batch f", "ip -ba f", "ip $X", "apt-cache gencaches"]);
    let read = [
        "ptx in",
        "ss -tlnp",
        "scc src",
        "cloc --by-file --exclude-dir=target .",
        "dmidecode -t memory",
        "nvidia-smi",
        "nvidia-smi --query-gpu=name,memory.used --format=csv",
        "terraform providers",
        "kubectl kustomize d",
        "uv tree --frozen",
        "bat x.rs",
        "docker buildx inspect",
        "rg --pretty x",
        "ffprobe -v error -show_format -of json a.mp4",
        "journalctl -u x",
        "ip a s",
        "ip -br addr show",
        "ip r",
        "ip link show \"$i\"",
        "apt-cache policy git",
        "apt-cache showpkg git",
        "identify a.png",
    ];
    hold(Tier::ReadOnly, &read);
}

#[test]
fn values_are_no_operands() {
    let read = [
        "date -d \"$x\" +%s",
        "date -d \"@$x\" +%s",
        "date -ud '2020-01-01'",
        "date -u +%FT%TZ",
        "date --date='1 day ago' +%F",
        "date -Iseconds",
        "date -r f",
        "date -j -f %Y 2020 +%s",
        "uniq -f 1 in",
        "uniq -cd in",
        "unzip -c a.zip",
        "cargo +nightly tree",
        "find \"$dir/src\" -name x",
    ];
    hold(Tier::ReadOnly, &read);
    hold(Tier::Admin, &["date 01010000", "date -us x", "date -d x -s y", "date $x", "date --set=x", "date -d $x"]);
    let write = [
        "uniq -f 1 in out",
        "uniq -- in -c",
        "uniq -c -- in out",
        "cargo +nightly build",
        "cargo +./x tree",
        "find \"$dir\" -name x",
        "sort -r\"$X\" f",
        "sort -T -- -o f in",
    ];
    hold(Tier::ReadWrite, &write);
}
