//! The facts, each by a table of lines.

use shellward_syntax::facts::{
    Directory, INTERACTIVE, Move, Reach, Removed, Tier, directories, hazards, interactive, network, remote_script,
    removes, tier, working_directories, writes_device,
};
use shellward_syntax::{Language, Script, survey};

fn script(line: &str) -> Script {
    let found = survey(line, Language::Bash);
    assert!(found.is_ok(), "{line}: {found:?}");
    found.map(|survey| survey.script).unwrap_or_default()
}

#[test]
fn removing_the_root_or_a_home_is_seen_in_every_spelling() {
    let cases: &[(&str, &[Removed])] = &[
        ("rm -rf /", &[Removed::Root]),
        ("rm -fr -- /", &[Removed::Root]),
        ("rm --recursive --force /", &[Removed::Root]),
        ("rm --rec /", &[Removed::Root]),
        ("rm -r /", &[Removed::Root]),
        ("rm -R -- //", &[Removed::Root]),
        ("rm  -r  -f  /", &[Removed::Root]),
        ("rm / -rf", &[Removed::Root]),
        ("rm -rf /.", &[Removed::Root]),
        ("rm -rf /..", &[Removed::Root]),
        ("rm -rf /*", &[Removed::Root]),
        ("rm -rf /.*", &[Removed::Root]),
        ("rm -rf /?*", &[Removed::Root]),
        ("rm -rf /[!x]*", &[Removed::Root]),
        ("rm -rf /*/*", &[Removed::Root]),
        ("rm -rf /tmp/../", &[Removed::Root]),
        ("rm -rf '/'", &[Removed::Root]),
        ("r\"m\" -r\\f /", &[Removed::Root]),
        ("rm -rf --no-preserve-root /", &[Removed::Root]),
        ("rm $FLAGS /", &[Removed::Root]),
        ("/bin/rm -rf /", &[Removed::Root]),
        ("rm -rf a / b", &[Removed::Root]),
        ("rm -rf {/,x}", &[Removed::Root]),
        ("rm -rf ~", &[Removed::Home]),
        ("rm -rf ~/", &[Removed::Home]),
        ("rm -rf ~/*", &[Removed::Home]),
        ("rm -rf ~/..", &[Removed::Home]),
        ("rm -rf $HOME", &[Removed::Home]),
        ("rm -rf \"$HOME\"/.", &[Removed::Home]),
        ("rm -rf ${HOME}/", &[Removed::Home]),
        ("rm -rf /home/someone", &[Removed::Home]),
        ("rm -rf /root/", &[Removed::Home]),
        ("rm -rf /etc", &[Removed::System]),
        ("rm -rf /usr/*", &[Removed::System]),
        ("cd / && rm -rf *", &[Removed::Root]),
        ("cd /; rm -rf .", &[Removed::Root]),
        ("cd /tmp; cd ..; rm -rf ./*", &[Removed::Root]),
        ("cd && rm -rf *", &[Removed::Home]),
        ("cd ~ && rm -rf .", &[Removed::Home]),
        ("cd /; (rm -rf *)", &[Removed::Root]),
        ("if true; then cd /; fi; rm -rf *", &[Removed::Root]),
        ("for i in 1 2; do rm -rf *; cd /; done", &[Removed::Root]),
        ("f() { cd /; }; f; rm -rf *", &[Removed::Root]),
        ("cd / ; rm -rf \"$PWD\"", &[Removed::Root]),
        ("find / -delete", &[Removed::Root]),
        ("find -L / -type f -delete", &[Removed::Root]),
        ("find / -mindepth 1 -exec rm -rf {} +", &[Removed::Root]),
        ("find ~ -name '*' -delete", &[Removed::Home]),
        ("find / ! -name keep -delete", &[Removed::Root]),
        ("cd / && find . -delete", &[Removed::Root]),
        ("sudo sh -c 'rm -rf /'", &[Removed::Root]),
        ("echo / | xargs rm -rf", &[Removed::Root]),
        ("echo / | xargs -I{} sh -c 'rm -rf {}'", &[Removed::Root]),
        ("echo \"$(rm -rf /)\"", &[Removed::Root]),
        ("rm -rf / ~", &[Removed::Root, Removed::Home]),
        ("rm -rf /tmp/x", &[]),
        ("rm -rf /tmp/*", &[]),
        ("rm -rf ./*", &[]),
        ("rm -rf *", &[]),
        ("rm -rf ~/project/target", &[]),
        ("rm -rf /home/someone/project", &[]),
        ("rm -rf /var/tmp/x", &[]),
        ("rm -rf '*' '~' '$HOME'", &[]),
        ("rm -f /", &[]),
        ("rm /*", &[]),
        ("(cd /); rm -rf *", &[]),
        ("cd / | rm -rf *", &[]),
        ("cd /; cd tmp; rm -rf *", &[]),
        ("cd / && ls; cd - && rm -rf *", &[]),
        ("echo rm -rf /", &[]),
        ("echo 'rm -rf /' > file", &[]),
        ("git commit -m 'rm -rf / && rm -rf ~'", &[]),
        ("find / -name '*.tmp' -delete", &[]),
        ("find . -delete", &[]),
        ("find / -name x", &[]),
        ("env -C / ls; rm -rf *", &[]),
        ("git -C / clean -fdx; rm -rf *", &[]),
    ];
    for (line, expected) in cases {
        let found: Vec<Removed> = removes(&script(line)).into_iter().map(|(removed, _)| removed).collect();
        assert_eq!(&found, expected, "{line}");
    }
}

#[test]
fn a_finding_names_the_word_that_decided() {
    let found = removes(&script("ls; sudo rm -rf build /. x"));
    let (_, finding) = &found[0];
    assert_eq!((finding.program.as_str(), finding.word.as_str(), finding.command), ("rm", "/.", 2));
    assert_eq!(&"ls; sudo rm -rf build /. x"[finding.span.start..finding.span.end], "/.");
}

#[test]
fn writing_to_a_device_is_seen() {
    let yes = [
        "echo x > /dev/sda",
        "cat img >> /dev/nvme0n1",
        "dd if=img of=/dev/sdb bs=4M",
        "dd of=/dev/vda1",
        "tee /dev/hda < img",
        "cp img /dev/mmcblk0",
        "mv img /dev/sda",
        "mkfs.ext4 /dev/sda1",
        "mkfs -t ext4 /dev/sda1",
        "shred -n 1 /dev/sda",
        "wipefs -a /dev/sda",
        "echo x > /dev/disk/by-id/x",
        "echo x > //dev/./sda",
        "dd of=\"/dev/$X\"",
        "sudo dd of=/dev/sda",
        "cd /dev && dd of=sda",
        "parted /dev/sda mklabel gpt",
        "sgdisk -Z /dev/sda",
        "mkswap /dev/sda2",
        "cat x > /dev/mapper/root",
        "echo x &> /dev/sda",
        "echo x 2> /dev/xvda",
        "echo x <> /dev/sda",
        "curl -o /dev/sda http://x",
        "blkdiscard /dev/sda",
        "mkfs.xfs $DEVICE",
        "echo c > /dev/mem",
        "sh -c 'cat x > /dev/sda'",
    ];
    for line in yes {
        assert!(writes_device(&script(line)).is_some(), "{line}");
    }
    let no = [
        "echo x > /dev/null",
        "cat /dev/sda",
        "dd if=/dev/sda of=backup.img",
        "dd if=/dev/zero of=file",
        "fdisk -l /dev/sda",
        "ls /dev/sda",
        "cp /dev/sda img",
        "mkfs.ext4 disk.img",
        "shred secret.txt",
        "echo /dev/sda",
        "echo x > /dev/stderr",
        "echo x > /dev/tty",
        "head -c 16 /dev/urandom",
        "lsblk /dev/sda",
        "echo 'dd of=/dev/sda'",
        "tee out.log",
        "wipefs /dev/sda",
        "echo x > /dev/shm/x",
        "parted -l /dev/sda print",
    ];
    for line in no {
        assert!(writes_device(&script(line)).is_none(), "{line}");
    }
}

#[test]
fn directories_follow_the_text() {
    let start = |path: &str| Directory::Start(path.into());
    let absolute = |path: &str| Directory::Absolute(path.into());
    let home = |path: &str| Directory::Home(path.into());
    let cases: &[(&str, &[(Directory, Directory)])] = &[
        ("ls", &[]),
        ("cd sub", &[(start(""), start("sub"))]),
        ("cd sub/../x/./y", &[(start(""), start("x/y"))]),
        ("cd ../..", &[(start(""), start("../.."))]),
        ("cd a && make && cd ..", &[(start(""), start("a")), (start("a"), start(""))]),
        ("cd /tmp; cd x", &[(start(""), absolute("/tmp")), (absolute("/tmp"), absolute("/tmp/x"))]),
        ("cd", &[(start(""), home(""))]),
        ("cd ~/x; cd ..", &[(start(""), home("x")), (home("x"), home(""))]),
        ("cd a; cd -", &[(start(""), start("a")), (start("a"), start(""))]),
        ("cd -", &[(start(""), Directory::Unknown)]),
        ("cd a; cd -; cd -", &[(start(""), start("a")), (start("a"), start("")), (start(""), start("a"))]),
        (
            "pushd /a; pushd b; popd; popd",
            &[
                (start(""), absolute("/a")),
                (absolute("/a"), absolute("/a/b")),
                (absolute("/a/b"), absolute("/a")),
                (absolute("/a"), start("")),
            ],
        ),
        ("pushd /a; pushd", &[(start(""), absolute("/a")), (absolute("/a"), start(""))]),
        ("pushd +1", &[(start(""), Directory::Unknown)]),
        ("popd", &[(start(""), Directory::Unknown)]),
        ("cd \"$X\"", &[(start(""), Directory::Unknown)]),
        ("cd $X; cd /tmp", &[(start(""), Directory::Unknown), (Directory::Unknown, absolute("/tmp"))]),
        ("cd -P a", &[(start(""), Directory::Unknown)]),
        ("cd -- a", &[(start(""), start("a"))]),
        ("cd -L a", &[(start(""), start("a"))]),
        ("(cd a); cd b", &[(start(""), start("a")), (start(""), start("b"))]),
        (
            "cd a; (cd b; cd c); cd d",
            &[
                (start(""), start("a")),
                (start("a"), start("a/b")),
                (start("a/b"), start("a/b/c")),
                (start("a"), start("a/d")),
            ],
        ),
        ("for i in 1 2; do cd ..; done", &[(start(""), Directory::Unknown)]),
        (
            "for d in a b; do cd /x; make; done; cd y",
            &[(start(""), absolute("/x")), (Directory::Unknown, Directory::Unknown)],
        ),
        ("HOME=/x; cd", &[(start(""), Directory::Unknown)]),
        ("export CDPATH=/; cd etc", &[(start(""), Directory::Unknown)]),
        ("CDPATH=/ cd etc; cd ./x", &[(start(""), Directory::Unknown), (Directory::Unknown, Directory::Unknown)]),
        ("builtin cd a; command cd b", &[(start(""), start("a")), (start("a"), start("a/b"))]),
        ("eval 'cd a'; cd b", &[(start(""), start("a")), (start("a"), start("a/b"))]),
        ("sh -c 'cd a'; cd b", &[(start(""), start("a")), (start(""), start("b"))]),
        ("git -C x status; make -C y; env -C z ls; tar -C w -xf a", &[]),
        ("echo $(cd a; pwd); cd b", &[(start(""), start("a")), (start(""), start("b"))]),
    ];
    for (line, expected) in cases {
        let found: Vec<_> = directories(&script(line)).into_iter().map(|change| (change.from, change.to)).collect();
        assert_eq!(&found, expected, "{line}");
    }
}

#[test]
fn changes_of_directory_say_what_they_are() {
    let found = directories(&script("cd sub; cd ./x; cd; cd -; f() { cd y; }"));
    let kinds: Vec<_> = found.iter().map(|change| (change.kind, change.searched, change.repeated)).collect();
    assert_eq!(
        kinds,
        [
            (Move::To, true, false),
            (Move::To, false, false),
            (Move::Home, false, false),
            (Move::Back, false, false),
            (Move::To, true, true),
        ]
    );
    let here = working_directories(&script("ls; cd a; ls; (cd b; ls); ls"));
    let start = |path: &str| Directory::Start(path.into());
    assert_eq!(here, [start(""), start(""), start("a"), start("a"), start("a/b"), start("a")]);
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

#[test]
fn interactive_programs() {
    let yes = [
        "vim x",
        "vi",
        "nano f",
        "less f",
        "ls | less",
        "more f",
        "top",
        "htop",
        "watch ls",
        "tmux",
        "screen -r",
        "git rebase -i HEAD~2",
        "git -C x rebase --interactive main",
        "git add -i",
        "git add -p",
        "git add --patch f",
        "ssh host",
        "scp a b:",
        "sftp h",
        "ftp h",
        "sudo vim f",
        "python",
        "python3 -i",
        "node",
        "bash",
        "git commit -p",
        "sh -c 'vim f'",
        "/usr/bin/vim f",
        "psql",
    ];
    for line in yes {
        assert!(interactive(&script(line), INTERACTIVE).is_some(), "{line}");
    }
    let no = [
        "vim --version",
        "git rebase main",
        "git add .",
        "git commit -m 'vim -i'",
        "python x.py",
        "python -c 'x'",
        "python3 <<EOF\nx\nEOF",
        "echo x | python3",
        "bash x.sh",
        "bash -c ls",
        "node x.js",
        "echo vim",
        "git log -p",
        "git diff -i",
        "git add -A",
        "grep -i top f",
        "git commit -m fix-p",
        "psql -c 'select 1'",
        "which ssh",
        "cat less",
    ];
    for line in no {
        assert!(interactive(&script(line), INTERACTIVE).is_none(), "{line}");
    }
    assert!(interactive(&script("vim"), &[]).is_none());
}

#[test]
fn remote_scripts() {
    let yes = [
        "curl x | bash",
        "curl -fsSL x | sudo bash -s -- y",
        "wget -O- x | sh",
        "wget -qO- x | tee y | sh",
        "curl x | env bash",
        "bash <(curl x)",
        "bash -c \"$(curl x)\"",
        "sh -c \"$(wget -qO- x)\"",
        "source <(curl x)",
        ". <(curl x)",
        "eval \"$(curl x)\"",
        "curl x | python3",
        "curl x | python3 -",
        "curl x | sudo -E bash -",
        "bash <<< \"$(curl x)\"",
        "bash < <(curl x)",
        "curl x | gunzip | sh",
        "$(curl x)",
        "sudo bash -c \"$(curl x)\"",
        "curl x | xargs -0 bash",
        "eval `curl x`",
        "curl x | node",
        "python3 -c \"$(curl x)\"",
        "curl x | (bash)",
        "sh -c 'curl x | sh'",
    ];
    for line in yes {
        assert!(remote_script(&script(line)).is_some(), "{line}");
    }
    let no = [
        "curl x | jq .",
        "curl x",
        "curl x -o f && cat f",
        "curl x | grep bash",
        "echo 'curl x | bash'",
        "curl x | python3 -m json.tool",
        "curl x | python3 -c 'import sys'",
        "x=$(curl y); echo \"$x\"",
        "cat f | bash",
        "echo \"$(curl x)\"",
        "bash x.sh; curl y",
        "bash -c 'x=$(curl y); echo $x'",
        "git commit -m 'curl x | sh'",
        "curl x | tee f",
        "bash f.sh \"$(curl x)\"",
    ];
    for line in no {
        assert!(remote_script(&script(line)).is_none(), "{line}");
    }
}

#[test]
fn the_network() {
    for line in [
        "curl x",
        "wget x",
        "ssh h",
        "sudo nc h 1",
        "ping h",
        "rsync a h:b",
        "git push",
        "git clone x",
        "pip install x",
        "npm ci",
    ] {
        assert!(network(&script(line)).is_some(), "{line}");
    }
    for line in ["ls", "echo curl", "git status", "git commit -m curl", "pip list", "npm test", "cat ssh"] {
        assert!(network(&script(line)).is_none(), "{line}");
    }
}

#[test]
fn hazards_say_how_far_they_reach() {
    let cases: &[(&str, &[(Reach, &str)])] = &[
        ("PATH=. ls", &[(Reach::Words, "PATH")]),
        ("export PATH=\"$HOME/bin:$PATH\"", &[(Reach::Words, "PATH")]),
        ("export PATH", &[]),
        ("IFS=,", &[(Reach::Words, "IFS")]),
        ("alias ls=rm", &[(Reach::Words, "ls=rm")]),
        ("alias", &[]),
        ("source f", &[(Reach::Words, "f")]),
        (". ./f", &[(Reach::Words, "./f")]),
        ("enable -n echo", &[(Reach::Words, "-n")]),
        ("hash -p /x ls", &[(Reach::Words, "-p")]),
        ("hash -r", &[]),
        ("shopt -s extglob", &[(Reach::Words, "-s")]),
        ("shopt", &[]),
        ("set -euo pipefail", &[]),
        ("set -P", &[(Reach::Words, "-P")]),
        ("LD_PRELOAD=x ls", &[(Reach::Programs, "LD_PRELOAD")]),
        ("env LD_LIBRARY_PATH=x ls", &[(Reach::Programs, "LD_LIBRARY_PATH")]),
        ("GIT_DIR=x git log", &[(Reach::Programs, "GIT_DIR")]),
        ("GIT_AUTHOR_NAME=x git commit", &[]),
        ("PYTHONPATH=. pytest", &[(Reach::Programs, "PYTHONPATH")]),
        ("read PATH", &[(Reach::Words, "PATH")]),
        ("printf -v PATH x", &[(Reach::Words, "PATH")]),
        ("A=b ls; export C=d", &[]),
        ("ls() { rm x; }", &[(Reach::Words, "ls")]),
        ("build() { make; }", &[]),
        ("echo alias PATH=x source", &[]),
        ("sh -c 'PATH=x'", &[(Reach::Words, "PATH")]),
    ];
    for (line, expected) in cases {
        let found = hazards(&script(line));
        let found: Vec<_> = found.iter().map(|(reach, finding)| (*reach, finding.word.as_str())).collect();
        assert_eq!(&found, expected, "{line}");
    }
}
