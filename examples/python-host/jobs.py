"""Jobs: a process each, its output bounded, what happens to it told to the policy one event at a time."""

import bisect
import codecs
import os
import queue
import signal
import subprocess
import threading
import time

from wasmtime.component import Record, Variant

from values import record

DRAIN = 0.1
SIGNALS = {
    "hangup": signal.SIGHUP, "interrupt": signal.SIGINT, "quit": signal.SIGQUIT, "terminate": signal.SIGTERM,
    "kill": signal.SIGKILL, "stop": signal.SIGSTOP, "resume": signal.SIGCONT, "user1": signal.SIGUSR1,
    "user2": signal.SIGUSR2,
}


def first_characters(data: bytes, count: int) -> int:
    """How many bytes the first `count` characters are, or all there are."""

    def characters(length: int) -> int:
        return len(codecs.getincrementaldecoder("utf-8")("replace").decode(data[:length]))

    return bisect.bisect_left(range(len(data)), count, key=characters)


class Stream:
    """The head and the tail of a stream; what falls between is counted."""

    def __init__(self, keep: Record):
        self.most = (keep.head, keep.tail)
        self.head, self.tail = b"", b""
        self.total, self.closed, self.leaked = 0, False, False

    def push(self, data: bytes):
        room = self.most[0] - len(self.head)
        self.total += len(data)
        self.head += data[:room]
        tail = self.tail + data[room:]
        self.tail = tail[max(0, len(tail) - self.most[1]):]

    @property
    def dropped(self) -> int:
        return self.total - len(self.head) - len(self.tail)

    def read(self, window: Variant) -> Record:
        def excerpt(text, gap=None, before=0, after=0):
            invalid = "\ufffd" in text
            return record(text=text, gap=gap, before=before, after=after, total=self.total, invalid=invalid)

        def text(data):
            return data.decode(errors="replace")

        kept = self.head + self.tail
        if window.tag == "all":
            if self.dropped == 0:
                return excerpt(text(kept))
            head = text(self.head)
            return excerpt(head + text(self.tail), gap=record(at=len(head.encode()), bytes=self.dropped))
        if window.tag == "head":
            kept = self.head if self.dropped else kept
            cut = first_characters(kept, window.payload)
            return excerpt(text(kept[:cut]), after=self.total - cut)
        tail = self.tail if self.dropped else kept
        at = max(0, len(tail) - window.payload)
        while at < len(tail) and tail[at] & 0xC0 == 0x80:  # no character is cut
            at += 1
        return excerpt(text(tail[at:]), before=self.total - (len(tail) - at))

    @property
    def state(self) -> Record:
        return record(total=self.total, dropped=self.dropped, leaked=self.leaked, closed=self.closed)


class Job:
    def __init__(self, host, session: str, call: Record, launch: Record):
        self.host, self.session, self.call, self.launch = host, session, call, launch
        self.status, self.memo = launch.status, launch.memo
        self.created, self.started, self.ended = now(), None, None
        self.begun, self.took, self.exit, self.ending = None, None, None, None
        self.streams = {name: Stream(launch.keep) for name in ("stdout", "stderr")}
        self.timers: dict[str, threading.Timer] = {}
        self.events: queue.SimpleQueue = queue.SimpleQueue()
        self.changed = threading.Condition()

    def start(self) -> Variant | None:
        """Starts the process, or gives the contract's start-error."""
        directory = self.launch.directory
        if not os.path.isdir(directory):
            return Variant("directory-missing", directory)
        environment = dict(os.environ)
        for change in self.launch.environment:
            environment.pop(change.name, None)
            if change.value is not None:
                environment[change.name] = change.value
        words = [self.launch.program, *getattr(self.launch, "arguments")]
        try:
            self.process = subprocess.Popen(
                words, cwd=directory, env=environment, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
        except FileNotFoundError:
            return Variant("program-missing", self.launch.program)
        except PermissionError as error:
            return Variant("permission-denied", str(error))
        except OSError as error:
            return Variant("other", str(error))
        self.started, self.begun = now(), time.monotonic()
        if self.launch.timeout is not None:
            self.arm("timeout", self.launch.timeout)
        return None

    def run(self):
        """Begins to follow the process, once the entry that started it has succeeded."""
        self.deliver(Variant("started", self.process.pid))
        readers = [threading.Thread(target=self.pump, args=(name,), daemon=True) for name in self.streams]
        for reader in readers:
            reader.start()
        threading.Thread(target=self.watch, args=(readers,), daemon=True).start()
        threading.Thread(target=self.act, daemon=True).start()

    def pump(self, name: str):
        pipe = getattr(self.process, name)
        while data := os.read(pipe.fileno(), 1 << 16):
            self.streams[name].push(data)
        self.streams[name].closed = True

    def watch(self, readers: list[threading.Thread]):
        """The job ends when its process does, whoever holds its pipes: they are read for 100 ms more."""
        code = self.process.wait()
        self.took = time.monotonic() - self.begun
        until = time.monotonic() + DRAIN
        for reader in readers:
            reader.join(max(0, until - time.monotonic()))
        for stream in self.streams.values():
            stream.leaked = not stream.closed
        leaked = [name for name, stream in self.streams.items() if stream.leaked]
        self.exit = signal.Signals(-code).name if code < 0 else code
        self.deliver(Variant("exited", record(exit=self.exit, leaked=leaked, directory=None, session_lost=False)))

    def arm(self, name: str, millis: int):
        self.disarm(name)
        timer = threading.Timer(millis / 1000, self.fired, [name])
        timer.daemon = True
        self.timers[name] = timer
        timer.start()

    def fired(self, name: str):
        if self.timers.pop(name, None):
            self.deliver(Variant("timer", name))

    def disarm(self, name: str):
        if timer := self.timers.pop(name, None):
            timer.cancel()

    def send(self, name: str, whom: str) -> Variant | None:
        if self.took is not None:
            return Variant("not-running")
        number = SIGNALS[name]
        self.kill(number, [self.process.pid]) if whom == "process" else self.kill_group(number, whom == "tree")
        return None

    def kill_group(self, number: signal.Signals, tree: bool):
        self.kill(number, [-self.process.pid, *(self.tree() if tree else [])])

    @staticmethod
    def kill(number: signal.Signals, pids: list[int]):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass  # it is gone, which is what a signal is mostly for

    def tree(self) -> list[int]:
        """All that descends from the process, as far as it did not go elsewhere: a host for daily use marks it."""
        parents = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as stat:
                    parents[int(name)] = int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                pass  # it is gone
        found = [self.process.pid]
        for member in found:
            found += [pid for pid, parent in parents.items() if parent == member]
        return found

    def deliver(self, what: Variant):
        self.events.put(record(at=now(), elapsed=self.elapsed(), what=what))

    def act(self):
        """One event at a time, in order."""
        while self.ending is None:
            self.apply(self.host.advance(self, self.events.get()))

    def apply(self, step: Record):
        self.status, self.memo = step.status, step.memo
        if step.ended not in (None, "completed") and self.took is None:
            self.kill_group(signal.SIGKILL, True)
        if step.ended is not None:
            self.ended = now()
            for name in list(self.timers):
                self.disarm(name)
        self.host.notices.extend(step.notices)
        with self.changed:
            self.ending = step.ended
            self.released = step.release
            if self.ending or step.release:
                self.changed.notify_all()

    def wait(self, at_most: int | None):
        """Waits until the job has ended, or its policy releases those who wait."""
        with self.changed:
            if self.ending is None:
                self.changed.wait(None if at_most is None else at_most / 1000)

    def elapsed(self) -> int:
        if self.begun is None:
            return 0
        return round((self.took if self.took is not None else time.monotonic() - self.begun) * 1e6)

    def record(self) -> Record:
        return record(
            id=self.launch.job, session=self.launch.session, call=self.call.id, tool=self.call.tool,
            command=self.launch.command, directory=self.launch.directory, status=self.status, memo=self.memo,
            created_at=self.created, started_at=self.started, ended_at=self.ended, duration=self.elapsed(),
            pid=self.process.pid, exit=self.exit, ending=self.ending, timeout=self.launch.timeout,
            stdout=self.streams["stdout"].state, stderr=self.streams["stderr"].state, timers=list(self.timers),
            last_seq=0, durable=False, block=None, policy=self.host.stamp,
        )


def now() -> int:
    return time.time_ns() // 1_000_000
