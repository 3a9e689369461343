// Jobs: a process each, its output bounded, what happens to it told to the policy one event at a time.

import { spawn } from 'node:child_process';
import fs from 'node:fs';

import { refuse } from './workspace.mjs';

const DRAIN = 100;
const SIGNALS = {
  hangup: 'SIGHUP', interrupt: 'SIGINT', quit: 'SIGQUIT', terminate: 'SIGTERM', kill: 'SIGKILL', stop: 'SIGSTOP',
  resume: 'SIGCONT', user1: 'SIGUSR1', user2: 'SIGUSR2',
};

// How many bytes the first `count` characters are, or all there are.
function firstCharacters(bytes, count) {
  const characters = (length) => [...new TextDecoder().decode(bytes.subarray(0, length), { stream: true })].length;
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (characters(middle) < count) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The head and the tail of a stream; what falls between is counted.
class Stream {
  constructor({ head, tail }) {
    Object.assign(this, { most: [Number(head), Number(tail)], head: Buffer.alloc(0), tail: Buffer.alloc(0), total: 0, closed: false, leaked: false });
  }

  push(bytes) {
    this.total += bytes.length;
    const room = this.most[0] - this.head.length;
    this.head = Buffer.concat([this.head, bytes.subarray(0, room)]);
    const tail = Buffer.concat([this.tail, bytes.subarray(Math.min(room, bytes.length))]);
    this.tail = tail.subarray(Math.max(0, tail.length - this.most[1]));
  }

  get dropped() {
    return this.total - this.head.length - this.tail.length;
  }

  read(window) {
    const text = (bytes) => new TextDecoder().decode(bytes);
    const excerpt = (shown, rest) => ({ text: shown, gap: undefined, before: 0n, after: 0n, total: BigInt(this.total), invalid: shown.includes('\ufffd'), ...rest });
    const head = text(this.head), all = Buffer.concat([this.head, this.tail]);
    if (window.tag === 'all') {
      const whole = this.dropped === 0 ? text(all) : head + text(this.tail);
      return excerpt(whole, this.dropped === 0 ? {} : { gap: { at: BigInt(Buffer.byteLength(head)), bytes: BigInt(this.dropped) } });
    }
    const kept = this.dropped === 0 ? all : window.tag === 'head' ? this.head : this.tail;
    if (window.tag === 'head') {
      const cut = firstCharacters(kept, Number(window.val));
      return excerpt(text(kept.subarray(0, cut)), { after: BigInt(this.total - cut) });
    }
    let from = Math.max(0, kept.length - Number(window.val));
    // No character is cut.
    while (from < kept.length && (kept[from] & 0xc0) === 0x80) from += 1;
    return excerpt(text(kept.subarray(from)), { before: BigInt(this.total - (kept.length - from)) });
  }

  get state() {
    return { total: BigInt(this.total), dropped: BigInt(this.dropped), leaked: this.leaked, closed: this.closed };
  }
}

export class Job {
  constructor(host, call, launch) {
    Object.assign(this, { host, call, launch, status: launch.status, memo: launch.memo, createdAt: Date.now(), timers: new Map(), queue: [], waiting: [] });
    this.streams = { stdout: new Stream(launch.keep), stderr: new Stream(launch.keep) };
  }

  // Starts the process; throws the contract's start-error.
  start() {
    const { program, arguments: words, directory, environment } = this.launch;
    if (!fs.existsSync(program)) refuse({ tag: 'program-missing', val: program });
    if (!fs.existsSync(directory)) refuse({ tag: 'directory-missing', val: directory });
    const env = { ...process.env };
    for (const { name, value } of environment) value === undefined ? delete env[name] : (env[name] = value);
    this.child = spawn(program, words, { cwd: directory, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    // Without a number it did not start; node says why only later, and the contract wants it now.
    this.child.on('error', () => {});
    if (this.child.pid === undefined) refuse({ tag: 'other', val: `${program} could not be started` });
    this.startedAt = Date.now();
    this.begun = performance.now();
    if (this.launch.timeout !== undefined) this.arm('timeout', Number(this.launch.timeout));
    for (const name of ['stdout', 'stderr']) {
      this.child[name].on('data', (bytes) => this.streams[name].push(bytes));
      this.child[name].on('end', () => { this.streams[name].closed = true; });
    }
    this.child.on('exit', (code, signal) => this.exited(code, signal));
  }

  // The job ends when its process does, whoever holds its pipes: they are read for 100 ms more.
  exited(code, signal) {
    this.took = performance.now() - this.begun;
    const finish = () => {
      clearTimeout(late);
      for (const name of ['stdout', 'stderr']) {
        this.streams[name].leaked = !this.streams[name].closed;
        this.child[name].destroy();
      }
      const leaked = Object.keys(this.streams).filter((name) => this.streams[name].leaked);
      this.exit = signal ? { tag: 'signal', val: signal } : { tag: 'code', val: code };
      this.deliver({ tag: 'exited', val: { exit: this.exit, leaked, directory: undefined, sessionLost: false } });
    };
    const late = setTimeout(finish, DRAIN);
    this.child.once('close', () => { if (!this.exit) finish(); });
  }

  arm(name, millis) {
    this.disarm(name);
    this.timers.set(name, setTimeout(() => {
      this.timers.delete(name);
      this.deliver({ tag: 'timer', val: name });
    }, millis));
  }

  disarm(name) {
    clearTimeout(this.timers.get(name));
    this.timers.delete(name);
  }

  send(signal, whom) {
    if (this.took !== undefined) refuse({ tag: 'not-running' });
    this.kill(SIGNALS[signal], whom === 'process' ? [this.child.pid] : whom === 'group' ? [-this.child.pid] : [-this.child.pid, ...this.tree()]);
  }

  kill(signal, pids) {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // It is gone, which is what a signal is mostly for.
      }
    }
  }

  // All that descends from the process, as far as it did not go elsewhere: a host for daily use marks its processes.
  tree() {
    const parents = new Map();
    for (const name of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
        parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
      } catch {
        // It is gone.
      }
    }
    const found = [this.child.pid];
    for (const member of found) for (const [pid, parent] of parents) if (parent === member) found.push(pid);
    return found;
  }

  // One event at a time, in order, and never inside another entry.
  deliver(what) {
    this.queue.push({ at: BigInt(Date.now()), elapsed: this.elapsed(), what });
    if (this.queue.length === 1) setImmediate(() => this.drain());
  }

  drain() {
    while (this.queue.length > 0 && !this.ending) {
      this.apply(this.host.advance(this, this.queue[0]));
      this.queue.shift();
    }
  }

  apply(step) {
    this.status = step.status;
    this.memo = step.memo;
    if (step.ended && step.ended !== 'completed' && this.took === undefined) {
      this.kill('SIGKILL', [-this.child.pid, ...this.tree()]);
    }
    if (step.ended) {
      this.ending = step.ended;
      this.endedAt = Date.now();
      for (const name of [...this.timers.keys()]) this.disarm(name);
    }
    this.host.notices.push(...step.notices);
    if (this.ending || step.release) this.waiting.splice(0).forEach((wake) => wake());
  }

  // Waits until the job has ended, or its policy releases those who wait.
  wait(atMost) {
    if (this.ending) return Promise.resolve();
    return new Promise((wake) => {
      this.waiting.push(wake);
      if (atMost !== undefined) setTimeout(wake, Number(atMost));
    });
  }

  elapsed() {
    return this.begun === undefined ? 0n : BigInt(Math.round((this.took ?? performance.now() - this.begun) * 1000));
  }

  record() {
    const time = (at) => (at === undefined ? undefined : BigInt(at));
    return {
      id: this.launch.job, session: this.launch.session, call: this.call.id, tool: this.call.tool,
      command: this.launch.command, directory: this.launch.directory, status: this.status, memo: this.memo,
      createdAt: BigInt(this.createdAt), startedAt: time(this.startedAt), endedAt: time(this.endedAt),
      duration: this.elapsed(), pid: this.child?.pid, exit: this.exit, ending: this.ending, timeout: this.launch.timeout,
      stdout: this.streams.stdout.state, stderr: this.streams.stderr.state, timers: [...this.timers.keys()],
      lastSeq: 0n, durable: false, block: undefined, policy: this.host.stamp,
    };
  }
}
