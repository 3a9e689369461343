//! The table of programs: what each may change.

use super::Rule::{self, Alone, Always, Letters, Reads, ReadsFirst, ReadsUnless, ReadsUpTo, ReadsWith, Special, Sub};
use super::Tier::{Admin, ReadWrite};
use super::{git, special, subcommands as sub};

/// Programs by name, several with one rule.
pub(crate) const PROGRAMS: &[(&str, Rule)] = &[
    // The shell's own. What `eval`, `trap` and wrappers run is judged as commands of its own.
    (
        ": true false test [ cd chdir pushd popd dirs pwd echo printf read export unset set shift return exit logout local",
        Reads,
    ),
    (
        "declare typeset readonly wait jobs fg bg disown times ulimit umask getopts hash type command builtin let trap shopt",
        Reads,
    ),
    (
        "alias unalias break continue caller compgen complete eval exec mapfile readarray suspend help nocorrect noglob",
        Reads,
    ),
    ("setopt unsetopt emulate autoload zmodload bind enable", Reads),
    ("source . fc", Always(ReadWrite)),
    ("history", ReadsUnless("-w -a -c -d -r -n")),
    // Reading files.
    (
        "cat tac head tail wc nl od hexdump hd strings cut paste join comm fold fmt tr rev column expand unexpand pr",
        Reads,
    ),
    ("grep egrep fgrep zgrep zcat bzcat xzcat zstdcat lzcat zless bzgrep xzgrep zdiff zcmp look", Reads),
    ("ptx", ReadsUnless("-G --traditional")),
    ("diff cmp diff3 colordiff", ReadsUnless("--output")),
    (
        "ls dir vdir exa eza lsd stat du df basename dirname realpath readlink tsort factor seq expr numfmt base32 basenc",
        Reads,
    ),
    ("base64", ReadsUnless("-o --output")),
    ("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 xxhsum sha256", Reads),
    ("file", ReadsUnless("-C --compile")),
    ("sort gsort", ReadsUnless("-o --output")),
    ("shuf", ReadsUnless("-o --output")),
    ("uniq", Special(special::uniq)),
    ("xxd", ReadsUpTo(1, "-r")),
    ("tree", ReadsUnless("-o -R")),
    ("rg ripgrep ugrep ag ack", ReadsUnless("--pager --filter --view --save-config")),
    ("fd fdfind locate mlocate plocate which whereis whatis apropos man tldr", Reads),
    ("bat batcat", ReadsUnless("--pager --generate-config-file cache")),
    ("less more most", ReadsUnless("-o -O --log-file --LOG-FILE")),
    ("iconv", ReadsUnless("-o --output")),
    ("info", ReadsUnless("-o --output --dribble --restore")),
    ("jq gron tokei", Reads),
    ("scc", ReadsUnless("-o --output --format-multi")),
    (
        "cloc",
        ReadsWith(
            "--by-file --by-file-by-lang --quiet --json --csv --yaml --xml --md --git --exclude-dir --exclude-ext \
            --exclude-lang --include-lang --include-ext --hide-rate --progress-rate --not-match-d --match-f --diff",
        ),
    ),
    ("yq dasel", ReadsUnless("-i --inplace --in-place -s --split-exp put delete")),
    ("xmllint", ReadsUnless("--output -o --shell")),
    ("nm objdump readelf size addr2line c++filt otool zipinfo pdfinfo", Reads),
    ("identify", ReadsUnless("-write +write")),
    ("mediainfo", ReadsUnless("--LogFile --logfile")),
    (
        "ffprobe",
        ReadsWith(
            "-v -loglevel -hide_banner -i -show_format -show_streams -show_entries -show_frames -show_packets \
            -show_chapters -show_error -select_streams -of -print_format -output_format -count_frames -count_packets \
            -pretty -unit",
        ),
    ),
    ("find gfind", Special(special::find)),
    ("sed gsed", Special(special::sed)),
    ("awk gawk mawk nawk", Special(special::awk)),
    ("tar gtar bsdtar", Special(special::tar)),
    ("unzip", Letters("lvtpzZc", "lvtpzZqhCac1M", "")),
    (
        "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lzma",
        Letters("ltc", "ltcdkqvf", "--list --test --stdout --to-stdout"),
    ),
    ("7z 7za 7zr 7zz", ReadsFirst("l i t h", ReadWrite)),
    ("ar", ReadsFirst("t tv p", ReadWrite)),
    // States.
    (
        "whoami id groups users who w last lastlog uptime uname arch nproc getconf printenv locale tty sleep usleep yes logname",
        Reads,
    ),
    ("ps pgrep pstree pidof free vmstat iostat mpstat lsof lsblk lscpu lsusb lspci lsmod lsns findmnt blkid", Reads),
    ("sw_vers system_profiler vm_stat netstat getent cal ncal lsb_release hostid tput", Reads),
    ("ss", ReadsUnless("-D --diag -K --kill")),
    ("sensors", ReadsUnless("-s --set")),
    ("dmidecode", ReadsUnless("--dump-bin")),
    (
        "nvidia-smi",
        ReadsWith(
            "-q -x -L -l -i -d --query --query-gpu --query-compute-apps --format --xml-format --list-gpus --loop --id \
            --display",
        ),
    ),
    ("top htop btop atop", Reads),
    ("date gdate", Special(special::date)),
    ("hostname domainname", ReadsUpTo(0, "-F --file -b")),
    ("ifconfig", ReadsUpTo(1, "")),
    ("ip", Special(special::ip)),
    ("mount", Special(special::mount)),
    ("sysctl", Special(special::sysctl)),
    ("dmesg", ReadsUnless("-C -c -D -E -n --clear --read-clear --console-off --console-on --console-level")),
    (
        "journalctl",
        ReadsUnless(
            "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --sync --setup-keys --cursor-file \
            --relinquish-var --smart-relinquish-var --update-catalog",
        ),
    ),
    ("crontab", Letters("l", "l", "")),
    ("kill", Letters("l", "lL", "--list")),
    // The network, reading.
    ("dig nslookup host ping ping6 traceroute tracepath mtr whois", Reads),
    ("curl", Special(special::curl)),
    ("wget", Special(special::wget)),
    // Wrappers: what they run is judged by itself.
    (
        "env xargs gxargs nohup nice ionice timeout gtimeout stdbuf setsid unbuffer caffeinate chronic chrt taskset numactl",
        Reads,
    ),
    ("watch entr sshpass busybox toybox", Reads),
    // Their own options write files, run programs, or are programs.
    ("parallel dbus-run-session fakeroot", Always(ReadWrite)),
    ("sh bash dash zsh ash rbash ksh ksh93 mksh lksh yash", Special(special::shell)),
    ("time gtime", ReadsUnless("-o --output")),
    ("strace ltrace", ReadsUnless("-o --output")),
    // Tools with subcommands.
    ("git", Special(git::git)),
    ("cargo", Sub(&sub::CARGO)),
    ("npm", Sub(&sub::NPM)),
    ("pnpm yarn bun", Sub(&sub::YARN)),
    ("pip pip3", Sub(&sub::PIP)),
    ("uv", Sub(&sub::UV)),
    ("go", Sub(&sub::GO)),
    ("rustup", Sub(&sub::RUSTUP)),
    ("docker podman nerdctl", Sub(&sub::DOCKER)),
    ("docker-compose", Sub(&sub::COMPOSE)),
    ("kubectl oc", Sub(&sub::KUBECTL)),
    ("helm", Sub(&sub::HELM)),
    ("terraform tofu", Sub(&sub::TERRAFORM)),
    ("systemctl", Sub(&sub::SYSTEMCTL)),
    ("loginctl hostnamectl timedatectl localectl networkctl resolvectl", Sub(&sub::CTL)),
    ("apt apt-get apt-cache", Sub(&sub::APT)),
    ("dnf yum zypper", Sub(&sub::DNF)),
    ("brew", Sub(&sub::BREW)),
    ("snap flatpak", Sub(&sub::SNAP)),
    ("apk", Sub(&sub::APK)),
    ("gh glab", Sub(&sub::GH)),
    ("gem bundle", Sub(&sub::GEM)),
    ("conda mamba", Sub(&sub::CONDA)),
    ("aws", Special(special::aws)),
    ("gcloud az", Special(special::cloud)),
    ("diskutil launchctl defaults hdiutil", Sub(&sub::MAC)),
    ("service", Special(special::service)),
    ("dpkg", ReadsFirst(DPKG, Admin)),
    ("dpkg-query", Reads),
    ("rpm", ReadsFirst("-q --query", Admin)),
    ("pacman", Special(special::pacman)),
    // Interpreters and compilers say their version, and otherwise may do anything; to many, `-v` is to say more of it.
    ("node nodejs ruby perl php lua gcc g++ cc clang clang++ tsc gradle mvn eslint prettier redis-cli", Alone("-v -h")),
    ("vite vitest jest nginx nvim screen code deno", Alone("-v -h")),
    ("python python2 python3 rustc pytest black ruff mypy psql mysql poetry tmux pre-commit just nano", Alone("-V -h")),
    ("java javac ffmpeg cmake sqlite3 emacs", Alone("-version -h")),
    ("make ninja tox task ansible ansible-playbook vim vi openssl pipenv", Alone("-h")),
    // Writing.
    ("tee sponge", ReadsUpTo(0, "")),
    (
        "rm rmdir unlink cp mv ln mkdir touch install mkfifo mknod truncate fallocate split csplit patch rsync zip unrar dd",
        Always(ReadWrite),
    ),
    ("chmod ssh scp sftp rclone killall pkill script flock ed ex tmpwatch shred mktemp at batch", Always(ReadWrite)),
    // Administration.
    (
        "sudo doas su pkexec runuser gosu su-exec setpriv chroot unshare nsenter systemd-run systemd-inhibit firejail capsh",
        Always(Admin),
    ),
    (
        "mkfs mkswap mke2fs fdisk sfdisk cfdisk gdisk sgdisk parted wipefs blkdiscard badblocks mdadm cryptsetup fsck e2fsck",
        Always(Admin),
    ),
    (
        "resize2fs tune2fs pvcreate vgcreate lvcreate lvremove vgremove pvremove zpool zfs losetup swapon swapoff umount eject",
        Always(Admin),
    ),
    (
        "shutdown reboot poweroff halt init telinit kexec useradd userdel usermod groupadd groupdel groupmod adduser deluser",
        Always(Admin),
    ),
    (
        "passwd chpasswd chsh chfn visudo chown chgrp chattr setfacl setcap setenforce insmod rmmod modprobe depmod",
        Always(Admin),
    ),
    (
        "iptables ip6tables nft ufw firewall-cmd route arp ethtool tc iwconfig nmcli sysrc update-grub grub-install",
        Always(Admin),
    ),
    (
        "update-alternatives dpkg-reconfigure add-apt-repository apt-key hdparm nvme efibootmgr rc-service rc-update",
        Always(Admin),
    ),
    ("ldconfig mkinitcpio dracut sysctl.d newgrp sg vipw vigr", Always(Admin)),
];

/// Options with which `dpkg` only reads.
const DPKG: &str = "-l -L -s -S -p -V -c -I --list --listfiles --status --search --print-avail --get-selections --verify \
    --print-architecture --contents --info";
