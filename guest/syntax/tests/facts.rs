//! The facts, each by a table of lines.

use shellward_syntax::facts::{
    Directory, INTERACTIVE, Move, Reach, Removed, directories, hazards, interactive, network, remote_script, removes,
    writes_device,
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
fn where_a_text_starts_says_what_its_relative_paths_remove() {
    let cases: &[(&str, &[Removed])] = &[
        ("rm -rf ../../../*", &[Removed::Root]),
        ("rm -rf ../../../../../..", &[Removed::Root]),
        ("rm -rf ../../../etc", &[Removed::System]),
        ("rm -rf ../..", &[Removed::Home]),
        ("cd ../../..; rm -rf *", &[Removed::Root]),
        ("cd ../../.. && rm -rf ./*", &[Removed::Root]),
        ("cd sub; rm -rf ../../../../*", &[Removed::Root]),
        ("for i in 1 2; do rm -rf *; cd ../../../..; done", &[Removed::Root]),
        ("(cd ../../..; find . -delete)", &[Removed::Root]),
        ("rm -rf *", &[]),
        ("rm -rf ../*", &[Removed::Home]),
        ("rm -rf ../other ../../someone", &[Removed::Home]),
        ("cd sub && rm -rf ../build", &[]),
        ("rm -rf ~root", &[Removed::Home]),
        ("rm -rf ~root/ ~agent/*", &[Removed::Home, Removed::Home]),
        ("rm -rf ~root/build", &[]),
        ("rm -rf '~root'", &[]),
    ];
    for (line, expected) in cases {
        let script = Script { start: "/home/agent/project".into(), ..script(line) };
        let found: Vec<Removed> = removes(&script).into_iter().map(|(removed, _)| removed).collect();
        assert_eq!(&found, expected, "{line}");
    }
    assert!(removes(&script("rm -rf ../../../*")).is_empty(), "nobody says where it starts");
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
    let places = |line: &str| {
        directories(&script(line)).iter().map(|change| (change.from.clone(), change.to.clone())).collect::<Vec<_>>()
    };
    let start = |path: &str| Directory::Start(path.into());
    let expected = [(start(""), start("a")), (start("a"), start("a/b")), (start("a"), start("a/c"))];
    assert_eq!(places("ls; cd a; ls; (cd b; ls); cd c"), expected);
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
