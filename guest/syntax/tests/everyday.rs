//! Lines that agents run all day: they must be known, and nothing destructive may be seen in them.

use shellward_syntax::facts::{INTERACTIVE, interactive, remote_script, removes, writes_device};
use shellward_syntax::{Language, analyse};

/// Lines of everyday work.
const LINES: &[&str] = &[
    // Looking around.
    "ls -la",
    "pwd && ls",
    "cat README.md",
    "head -n 50 src/main.rs",
    "tail -n +100 server.log | head -n 40",
    "sed -n '120,180p' src/lib.rs",
    "grep -rn \"fn main\" --include='*.rs' src | head -20",
    "rg -n 'TODO|FIXME' src tests",
    "rg --files -g '*.ts' | wc -l",
    "find . -name '*.py' -not -path './.venv/*' | xargs wc -l | sort -n | tail -5",
    "find . -type f -name '*.orig' -delete",
    "find src -name '*.rs' -exec grep -l unsafe {} +",
    "tree -L 2 -I 'node_modules|target'",
    "wc -l $(git ls-files '*.rs')",
    "du -sh target 2>/dev/null || true",
    "which python3 node cargo; python3 --version",
    "cat package.json | jq '.scripts'",
    "ls node_modules/.bin | grep -i eslint",
    "file target/debug/app && ldd target/debug/app",
    "echo \"$PATH\" | tr ':' '\\n'",
    "env | grep -i proxy",
    "ps aux | grep '[n]ode' | awk '{print $2}'",
    "lsof -i :3000 -t",
    "diff -u a.txt b.txt || true",
    // Git.
    "git status --short",
    "git diff --stat HEAD~1",
    "git log --oneline -n 20",
    "git log --since='2 days ago' --format='%h %s'",
    "git show HEAD:src/lib.rs | head -40",
    "git add -A && git commit -m \"Fix parser\"",
    "git commit -m 'Never run rm -rf / again; sudo dd if=/dev/zero of=/dev/sda is refused too'",
    "git commit -m \"$(cat <<'EOF'\nRefuse curl | bash\n\nAlso refuse `rm -rf ~` and $(mkfs.ext4 /dev/sda1).\nEOF\n)\"",
    "git commit --amend --no-edit",
    "git checkout -b feature/x origin/main",
    "git stash && git pull --rebase && git stash pop",
    "git push -u origin HEAD",
    "git rebase origin/main",
    "git -C ../other log -1 --format=%H",
    "git diff --name-only | xargs -r cargo fmt --",
    "git branch --show-current",
    "git reset --soft HEAD~1",
    "git clean -fd build/",
    "git rev-parse --show-toplevel",
    "git blame -L 10,20 src/lib.rs",
    "git worktree add ../review origin/main",
    "gh pr create --title 'Add a guard' --body 'rm -rf / is refused'",
    "gh pr view 12 --json title,body -q .title",
    "git config --global user.name \"$NAME\"",
    "git config --global core.editor vim",
    "git config --global core.pager 'less -R'",
    "git config --get remote.origin.url",
    "git config --global --add safe.directory '*'",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' git status",
    "GIT_CONFIG_GLOBAL=/dev/null git log -1",
    "git grep -n -e TODO --and -e FIXME",
    "GIT_SSH_COMMAND='ssh -i key' git fetch",
    "git clone -q --depth 1 -b main -c advice.detachedHead=false https://example.org/a.git",
    "git submodule update --init --recursive",
    // Rust.
    "cargo build --release 2>&1 | tail -20",
    "cargo test -p app -- --nocapture some_test",
    "cargo test 2>&1 | grep -E '^(test|error|warning)' | head -50",
    "cargo clippy --all-targets -- -D warnings",
    "cargo fmt --all -- --check",
    "cargo add serde --features derive",
    "cargo run --quiet -- --help",
    "RUST_BACKTRACE=1 cargo test failing_case",
    "RUSTFLAGS='-C target-cpu=native' cargo bench",
    "rustup target add wasm32-wasip2",
    "timeout 120 cargo test --workspace",
    "hyperfine -L n 1,2 './a {n}'",
    // JavaScript.
    "pnpm --filter web exec vitest run",
    "npm --prefix web exec tsc",
    "npm --prefix web run build",
    "pnpm -r --filter './packages/*' run build",
    // Elsewhere.
    "rsync -avze 'ssh -p 22' dist/ host:/srv",
    "rsync -avzP --exclude node_modules a/ b/",
    "make SHELL=/bin/bash test",
    "bash \"$ROOT/subproc/run.sh\"",
    "awk '/error|warning/ { print $1 \" | \" $2 }' build.log",
    "awk -F'|' '{ print $2 | \"sort -u\" }' table.txt",
    "awk '{ sum += $1 / 2 } END { print sum / NR \"|\" }' numbers",
    "awk -v name=\"$NAME\" '$1 == name { print > \"out\" }' data",
    "awk \"NR > $N\" data",
    "awk -f script.awk data",
    "awk '{ sub(/[^/]*$/, \"\"); print }' paths",
    "sed -i \"s/$A/$B/\" config",
    "sed -n '/begin/,/end/p' file",
    "sed -e '/^#/d' -e 's/[[:space:]]*$//' file",
    "sed -i '/export/a\\\nnew line\\\nend of it' file",
    "sed -n '/re/w out' file",
    "sed -E 's/(e+)e/\\1/g; s|/e|/|; $!N; P; D' file",
    "sed -i.bak -e 's/a/b/' file",
    "make -f build.mk CFLAGS=-O2 all",
    "export PS1='\\u@\\h:\\w\\$ '",
    "sqlite3 app.db '.schema users'",
    "psql -c 'select count(*) from users where a != 1'",
    "gdb -batch -ex run -ex bt ./target/debug/app",
    "ip -br addr show \"$IF\"",
    "uv --quiet run pytest",
    "poetry -C web run pytest",
    "uv pip install -r requirements.txt",
    "printf '%s\\n' a b | xargs -n1 echo",
    "ls *.log | parallel gzip",
    // JavaScript again.
    "npm install",
    "npm ci && npm run build",
    "npm test -- --watch=false",
    "npm run lint -- --fix",
    "npx tsc --noEmit",
    "npx prettier --write 'src/**/*.ts'",
    "npx --yes create-vite@latest app --template react-ts",
    "pnpm install --frozen-lockfile",
    "yarn add -D typescript",
    "node -e \"console.log(require('./package.json').version)\"",
    "NODE_ENV=test node scripts/build.js",
    "rm -rf node_modules package-lock.json && npm install",
    "cd frontend && npm run build && cd ..",
    // Python.
    "python -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt",
    "source .venv/bin/activate && pytest -q",
    "python -m pytest tests/unit -x -q 2>&1 | tail -30",
    "pytest -k 'not slow' --maxfail=1",
    "pip install -e '.[dev]'",
    "python3 -c 'import sys; print(sys.version)'",
    "python3 - <<'EOF'\nimport os\nprint(os.listdir('/'))\nEOF",
    "uv run pytest -q",
    "uv pip install -r requirements.txt",
    "poetry run mypy src",
    "PYTHONPATH=. python scripts/migrate.py --dry-run",
    "ruff check . --fix && ruff format .",
    ".venv/bin/python -m pip list | grep -i django",
    // Files.
    "mkdir -p src/utils && touch src/utils/mod.rs",
    "cp -r templates/base new-app",
    "mv old.txt new.txt",
    "rm -f /tmp/build.log",
    "rm -rf target/debug dist build/",
    "rm -rf ./tmp/* && mkdir -p tmp",
    "rm -rf \"$TMPDIR/work\"",
    "chmod +x scripts/deploy.sh && ./scripts/deploy.sh --dry-run",
    "sed -i 's/foo/bar/g' src/*.rs",
    "sed -i '' -e 's|http://|https://|' config.yml",
    "perl -pi -e 's/old/new/g' $(git ls-files '*.md')",
    "awk -F, 'NR > 1 { total += $3 } END { print total }' data.csv",
    "tar -czf out.tgz dist && tar -tzf out.tgz | head",
    "unzip -o archive.zip -d out",
    "cat > hello.py <<'EOF'\nimport subprocess\nsubprocess.run('rm -rf /', shell=True)\nEOF",
    "cat <<'EOF' > install.sh\n#!/bin/sh\ncurl -fsSL https://example.com/x | sh\nrm -rf ~ > /dev/sda\nEOF",
    "cat <<EOF >> .env\nDATABASE_URL=postgres://localhost/$DB_NAME\nEOF",
    "tee config.toml >/dev/null <<'EOF'\n[server]\nport = 8080\nEOF",
    "printf '%s\\n' 'rm -rf /' 'shutdown now' > dangerous.txt",
    "echo 'sudo rm -rf / # do not' >> notes.md",
    "echo \"done: $(date +%H:%M)\" | tee -a build.log",
    "ln -sf ../shared/config.json config.json",
    // Loops and chains.
    "for f in src/*.rs; do echo \"== $f\"; head -5 \"$f\"; done",
    "for i in $(seq 1 5); do curl -s localhost:8080/health && break; sleep 1; done",
    "while read -r line; do echo \"$line\"; done < list.txt",
    "if [ -f Cargo.toml ]; then cargo check; elif [ -f package.json ]; then npm test; fi",
    "[ -d .git ] && git status || echo 'no repository'",
    "set -euo pipefail; cargo build && cargo test",
    "(cd crates/core && cargo test) && (cd crates/cli && cargo test)",
    "make -j4 test 2>&1 | tee make.log; exit ${PIPESTATUS[0]}",
    "npm start > server.log 2>&1 &",
    "npm run dev & sleep 5; curl -s http://localhost:5173 | head -5; kill %1",
    "bash -c 'set -e; cargo build; cargo test'",
    "bash scripts/test.sh --fast",
    "sh ./configure --prefix=/usr/local && make",
    "VERSION=$(grep -m1 version Cargo.toml | cut -d'\"' -f2) && echo \"v$VERSION\"",
    "test -n \"$CI\" && echo ci || echo local",
    "case \"$(uname)\" in Linux) echo linux ;; Darwin) echo mac ;; esac",
    "command -v docker >/dev/null 2>&1 && docker --version",
    "diff <(sort a.txt) <(sort b.txt)",
    "time cargo build",
    "nohup python server.py > out.log 2>&1 &",
    "export RUST_LOG=debug; cargo run",
    // Services and containers.
    "docker ps --format '{{.Names}}'",
    "docker build -t app:dev .",
    "docker run --rm -v \"$PWD\":/app -w /app node:20 npm test",
    "docker compose up -d && docker compose logs --tail=50 api",
    "docker exec -i db psql -U postgres -c 'select 1'",
    "kubectl get pods -n staging -o wide",
    "curl -s http://localhost:3000/api/users | jq '.[0].name'",
    "curl -fsS -X POST -H 'Content-Type: application/json' -d '{\"a\":1}' http://localhost:3000/x",
    "curl -L -o data.csv https://example.com/data.csv",
    "sqlite3 app.db 'select count(*) from users'",
    "psql \"$DATABASE_URL\" -c '\\dt'",
    "redis-cli ping",
    "terraform plan -out=plan.tfplan",
    "make clean && make",
    "go test ./... -run TestParser -count=1",
    "go build -o bin/app ./cmd/app",
    "mvn -q test",
    "./gradlew test --tests '*ParserTest'",
    "bundle exec rspec spec/models",
    "ls *.log | xargs -I{} mv {} logs/",
    "xargs -a files.txt -n1 basename",
];

#[test]
fn everyday_lines_are_known() {
    let mut failures = Vec::new();
    for line in LINES {
        if let Err(unknown) = analyse(line, Language::Bash) {
            failures.push(format!("{line}: {unknown:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), LINES.len(), failures.join("\n"));
}

#[test]
fn nothing_destructive_is_seen_in_them() {
    for line in LINES {
        let Ok(script) = analyse(line, Language::Bash) else { continue };
        assert!(removes(&script).is_empty(), "{line}: {:?}", removes(&script));
        assert_eq!(writes_device(&script), None, "{line}");
        assert_eq!(remote_script(&script), None, "{line}");
        assert_eq!(interactive(&script, INTERACTIVE), None, "{line}");
    }
}

#[test]
fn most_are_known_in_the_other_shells_too() {
    for language in [Language::Sh, Language::Zsh] {
        let known = LINES.iter().filter(|line| analyse(line, language).is_ok()).count();
        assert!(known * 10 >= LINES.len() * 7, "{language:?}: {known} of {}", LINES.len());
    }
}
