//! Writing to a block device, past every file system on it.

use super::directories::{Directory, Walker};
use super::flags::operands;
use super::{Finding, program};
use crate::paths::normal;
use crate::script::{Command, Operator, Part, Redirection, Script, Target, Word};
use crate::text::{holds, pieces, starts};
use crate::unwrap::words::{among, cut, is, lead, text};

/// Names under `/dev` that block devices, and memory itself, begin with.
const DEVICES: &str = "sd hd vd xvd nvme mmcblk disk rdisk dm- mapper/ md loop sr nbd zram ram mtdblock mtd bcache drbd rbd block/ \
    mem kmem port ubi pmem dasd zd zvol/";

/// Programs that write to the devices among their operands.
const WRITERS: &str = "mkswap mke2fs mkdosfs mkntfs shred wipefs wipe fdisk sfdisk cfdisk gdisk sgdisk parted blkdiscard badblocks \
    tee sponge truncate fallocate pvcreate pvremove vgcreate cryptsetup zpool btrfs newfs newfs_msdos diskutil \
    e2fsck resize2fs tune2fs flashcp nandwrite rm hdparm nvme mdadm lvcreate dcfldd sg_format srm";

/// Programs that write to their last operand.
const COPIERS: &str = "cp gcp mv install ln rsync ddrescue pv scp dc3dd partclone.restore";

/// Returns the first write to a block device.
#[must_use]
pub fn writes_device(script: &Script) -> Option<Finding> {
    let mut walker = Walker::new(script);
    for (index, command) in script.commands.iter().enumerate() {
        let here = walker.directory(command.scope);
        if let Some(finding) = redirected(index, command, here).or_else(|| written(index, command, here)) {
            return Some(finding);
        }
        walker.step(index, command);
    }
    None
}

fn redirected(index: usize, command: &Command, here: &Directory) -> Option<Finding> {
    command.redirections.iter().find_map(|redirection| {
        let word = written_file(redirection)?;
        is_device(word, here).then(|| Finding::new(index, command, word, "writes to a device through a redirection"))
    })
}

/// Returns the file that a redirection writes to.
pub(crate) fn written_file(redirection: &Redirection) -> Option<&Word> {
    match (&redirection.target, redirection.operator) {
        (_, Operator::Read | Operator::HereDocument | Operator::HereString) => None,
        (Target::File(word), _) => Some(word),
        (Target::Descriptor(_) | Target::Body(_), _) => None,
    }
}

fn written(index: usize, command: &Command, here: &Directory) -> Option<Finding> {
    let name = program(command)?;
    let arguments = &command.words[1..];
    let finding = |word: &Word, rule| Some(Finding::new(index, command, word, rule));
    if among("dd dcfldd dc3dd gdd", name) {
        let target = arguments.iter().find(|word| lead(word).starts_with("of=") && is_device(&cut(word, 3), here))?;
        return finding(target, "writes to a device with dd");
    }
    if name == "mkfs" || name.starts_with("mkfs.") || name.starts_with("newfs") {
        // A file with a file system in it is harmless; what is computed may be a device.
        let file = |word: &Word| text(word).is_some() && !is_device(word, here) && holds(lead(word), "/.");
        let target = operands(arguments).last()?;
        return if file(target) { None } else { finding(target, "makes a file system on a device") };
    }
    if among(WRITERS, name) {
        let asks = among("fdisk sfdisk parted hdparm gdisk sgdisk wipefs", name);
        let reads = |word: &Word| is(word, "-l --list -I -i print -p --print -n -d --dump");
        // `wipefs` without an option and `fdisk -l` only list.
        if asks && (arguments.iter().any(reads) || name == "wipefs" && arguments.len() == 1) {
            return None;
        }
        let target = operands(arguments).find(|word| is_device(word, here))?;
        return finding(target, "writes to a device");
    }
    if among(COPIERS, name) {
        let target =
            operands(arguments).last().filter(|word| operands(arguments).count() > 1 && is_device(word, here))?;
        return finding(target, "copies over a device");
    }
    if among("curl wget", name) {
        let target = arguments.iter().find(|word| is_device(word, here) && !lead(word).starts_with('-'))?;
        return finding(target, "downloads over a device");
    }
    None
}

/// Tells whether a word names a block device, or may: `/dev/$X` and `/dev/sd*` do.
fn is_device(word: &Word, here: &Directory) -> bool {
    let mut path = String::new();
    let mut open = false;
    for part in &word.parts {
        match part {
            Part::Text(text) => path.push_str(text),
            Part::Glob(_) | Part::Variable(_) | Part::Dynamic | Part::Home | Part::User(_) => {
                open = true;
                break;
            }
        }
    }
    if !path.starts_with('/') {
        match here {
            Directory::Absolute(base) if !word.parts.is_empty() => path = [base, "/", &path].concat(),
            _ => return false,
        }
    }
    // `normal` would take a trailing slash away, which matters when more follows it.
    let slash = open && path.ends_with('/');
    let mut path = normal(&path, true);
    if slash {
        path.push('/');
    }
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    pieces(DEVICES, b' ')
        .any(|device| name.starts_with(device) && is_whole(device, name) || open && device.starts_with(name))
}

/// Tells whether a name is a device's and not merely begins like one: `/dev/mem` and not `/dev/memory-notes`.
fn is_whole(device: &str, name: &str) -> bool {
    let rest = &name[device.len()..];
    match device {
        "mem" | "kmem" | "port" => rest.is_empty(),
        "sd" | "hd" | "vd" | "xvd" => rest.len() <= 4 && !holds(rest, "/"),
        "disk" => true,
        "sr" | "md" | "ram" | "loop" | "mtd" | "zd" => rest.is_empty() || starts(rest, "0123456789/"),
        _ => true,
    }
}
