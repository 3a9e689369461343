//! `cd` inside commands: every target within the root, wherever the line may be by then.

use super::{call, envelope, host, judged, run};
use serde_json::json;
use shellward_kit::fake::{Fake, Subject};

fn tree() -> Fake {
    let host = host();
    host.directory("src/core").directory("docs").file("notes.txt").directory("/outside");
    host.link("out", "/outside").link("src/up", "/project").link("deep", "src/core");
    host
}

pub(super) fn cd(subject: &dyn Subject) {
    judged(
        subject,
        &tree(),
        "{}",
        &[
            ("cd src", "runs"),
            ("cd src && make", "runs"),
            ("cd src/core && cd ../.. && make", "runs"),
            ("cd /project/src && make", "runs"),
            ("cd 'src'", "runs"),
            ("cd \"src\"/core", "runs"),
            ("cd ./src; make", "runs"),
            ("cd -- src", "runs"),
            ("cd .", "runs"),
            ("(cd src && make) && make", "runs"),
            ("cd src && cd - && make", "runs"),
            ("pushd src && make && popd", "runs"),
            ("mkdir -p build && cd build && cmake .. && cd ..", "runs"),
            ("cd src; cd ..", "runs"),
            ("cd \"$PWD/src\"", "runs"),
            ("cd new && cd ..", "runs"),
            ("echo cd /", "runs"),
            ("git -C src status", "runs"),
            ("if [ -d src ]; then cd src; fi; make", "runs"),
            ("cd /", "outside-root"),
            ("cd ..", "outside-root"),
            ("cd ../projectile", "outside-root"),
            ("cd src && cd ../..", "outside-root"),
            ("cd src/core; cd ../../..", "outside-root"),
            ("cd", "outside-root"),
            ("cd ~", "outside-root"),
            ("cd ~/x", "outside-root"),
            ("cd $HOME", "outside-root"),
            ("cd \"${HOME}/x\"", "outside-root"),
            ("cd '/etc'", "outside-root"),
            ("cd /\"etc\"", "outside-root"),
            ("c\\d /etc", "outside-root"),
            ("true && cd /etc && make", "outside-root"),
            ("true || cd /etc", "outside-root"),
            ("(cd /etc; make)", "outside-root"),
            ("echo $(cd /etc && pwd)", "outside-root"),
            ("make | (cd /etc; make)", "outside-root"),
            ("bash -c 'cd /etc'", "outside-root"),
            ("eval 'cd /etc'", "outside-root"),
            ("builtin cd /etc", "outside-root"),
            ("command cd /etc", "outside-root"),
            ("pushd /etc", "outside-root"),
            ("cd src && (cd ../..)", "outside-root"),
            ("for i in 1 2; do cd /etc; done", "outside-root"),
            ("f() { cd /etc; }; f", "outside-root"),
            // The first may fail, and then the second starts at the root.
            ("cd new; cd ..", "outside-root"),
            ("cd new || true; cd ..", "outside-root"),
            ("cd notes.txt; cd ..", "outside-root"),
            ("! cd new && cd ..", "outside-root"),
            ("cd src; cd -; cd ..", "outside-root"),
            ("cd \"$DIR\"", "unknown"),
            ("cd $(git rev-parse --show-toplevel)", "unknown"),
            ("cd s*", "unknown"),
            ("CDPATH=/ cd etc", "unknown"),
            ("OLDPWD=/; cd -", "unknown"),
            ("HOME=/etc; cd", "unknown"),
            ("ln -s / root && cd root", "unknown"),
            ("X=$(cd ..) cd src", "outside-root"),
        ],
    );
}

pub(super) fn uncertain(subject: &dyn Subject) {
    let text = |command: &str| run(subject, &tree(), command)["text"].as_str().map(String::from).expect("a text");
    assert_eq!(
        text("cd /etc"),
        "Access denied. Path must be within project root. `cd /etc` leads to '/etc', outside the project root (rule \
         outside-root). Stay within the root; commands can name files elsewhere without going there."
    );
    assert_eq!(
        text("cd new; cd .."),
        "Access denied. Path must be within project root. `cd ..` may lead to '/', outside the project root (rule \
         outside-root). It may run where an earlier `cd` has failed: tie it to that with `&&`, or use `(cd DIR && …)`."
    );
}

pub(super) fn from_elsewhere(subject: &dyn Subject) {
    let host = tree();
    for (directory, command, code) in [
        ("src/core", "cd ../..", None),
        ("src", "cd core", None),
        ("src", "cd ../docs && make", None),
        ("src", "cd ../..", Some("ACCESS_DENIED")),
        ("src/core", "cd ../.. && cd ..", Some("ACCESS_DENIED")),
    ] {
        let body = envelope(&call(subject, &host, &json!({"command": command, "directory": directory})));
        assert_eq!(body["error"]["code"].as_str(), code, "{command}: {body}");
        assert_eq!(body["context"]["directory_resolved"], directory);
    }
}

pub(super) fn links(subject: &dyn Subject) {
    judged(
        subject,
        &tree(),
        "{}",
        &[
            ("cd out", "outside-root"),
            ("cd out/..", "outside-root"),
            ("cd src/up/out", "outside-root"),
            // The shell remembers by which name it came: `..` leads back, or up from where the link leads.
            ("cd src/up && cd ..", "outside-root"),
            ("cd deep", "runs"),
            ("cd deep && cd ..", "runs"),
            ("cd deep && cd ../..", "outside-root"),
            ("cd src/up && make", "runs"),
        ],
    );
}
