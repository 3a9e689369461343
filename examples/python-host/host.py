"""A host: loads a policy's component, and answers calls. Each entry runs in a fresh instance."""

import json
import secrets
import sys
import threading
import time
from pathlib import Path

from wasmtime import Engine, Store, WasiConfig
from wasmtime.component import Component, Linker, Record, Variant

from jobs import Job
from values import field, record
from workspace import Workspace

CONTRACT = "shellward:policy/{}@0.1.0"
CEILING = 256


def ulid() -> str:
    """128 bits as lowercase Crockford base 32: time first, so that ids sort by age."""
    number = time.time_ns() // 1_000_000 << 80 | secrets.randbits(80)
    return "".join("0123456789abcdefghjkmnpqrstvwxyz"[number >> shift & 31] for shift in range(125, -1, -5))


class Entry:
    """What one entry acts on: whose session, which call, and the job it begins."""

    def __init__(self, host: "Host", session: str = "", call: Record | None = None, job: Job | None = None):
        self.host, self.session, self.call, self.begun = host, session, call, job

    def job(self, id: str) -> Job | None:
        if self.begun and self.begun.launch.job == id:
            return self.begun
        found = self.host.jobs.get(id)
        return found if found and found.session == self.session else None

    def imports(self) -> dict:
        """The contract's imports. A `result` is its value or its error; where both could be texts it is tagged."""
        workspace, missing = self.host.workspace, Variant("not-found")

        def of(id, act):
            job = self.job(id)
            return act(job) if job else missing

        def disarm(store, id, name):
            if job := self.job(id):
                job.disarm(name)

        def snippet(store, id, most):
            if not (job := self.job(id)):
                return Variant("err", None)
            tails = [job.streams[name].read(Variant("tail", most)).text for name in ("stdout", "stderr")]
            return Variant("ok", "".join(tails)[-most:])

        def read(store, id, stream, window):
            return (job := self.job(id)) and job.streams[stream].read(window)

        def listed(store, wanted):
            jobs = (job for job in self.host.jobs.values() if job.session == self.session)
            return [job.record() for job in jobs if (wanted.ended if job.ending else wanted.active)][-wanted.limit:]

        return {
            "workspace": {
                "resolve": lambda store, path, base: workspace.resolve(path, base),
                "home": lambda store: workspace.home(),
                "find-program": lambda store, name: workspace.find_program(name),
            },
            "processes": {
                "start": lambda store, launch: self.start(launch),
                "enqueue": lambda store, launch: Variant("unsupported", "lanes"),
            },
            "signals": {"send": lambda store, id, name, whom: of(id, lambda job: job.send(name, whom))},
            "timers": {
                "arm": lambda store, id, name, after: of(id, lambda job: job.arm(name, after)),
                "disarm": disarm,
            },
            "jobs": {
                "get": lambda store, id: (job := self.job(id)) and job.record(),
                "list": listed,
                "post": lambda store, id, name, data: of(id, lambda job: self.post(job, name, data)),
            },
            "output": {"read": read, "snippet": snippet, "items": lambda store, *_: "this host keeps no items"},
            "settings": {"get": lambda store: self.host.settings},
            "diagnostics": {
                "log": lambda store, level, message: print(self.host.stamp, level, message, file=sys.stderr),
            },
        }

    def post(self, job: Job, name: str, data: str) -> Variant | None:
        if job.ending:
            return Variant("ended")
        return job.deliver(Variant("posted", record(name=name, data=data)))

    def start(self, launch: Record) -> Variant | None:
        if self.call is None or self.begun:
            return Variant("invalid", "a command is started once, while a call is decided")
        if not launch.job.endswith(self.call.id):
            return Variant("invalid", "a job's id ends in the call's id")
        if launch.stdio.tag != "pipes" or launch.stdio.payload != "empty":
            return Variant("unsupported", "terminals and input")
        if launch.durable or launch.place is not None or launch.watches:
            return Variant("unsupported", "more than a plain process")
        most = min(CEILING, CEILING if field(launch, "at-most") is None else field(launch, "at-most"))
        if sum(job.ending is None for job in self.host.jobs.values()) >= most:
            return Variant("too-many", most)
        job = Job(self.host, self.session, self.call, launch)
        if error := job.start():
            return error
        self.begun = job
        return None


class Host:
    def __init__(self, component: Path, root: Path, settings: dict):
        self.engine = Engine()
        self.component = Component.from_file(self.engine, str(component))
        self.workspace = Workspace(root.resolve())
        self.jobs: dict[str, Job] = {}
        self.notices: list[Record] = []
        self.settings, self.stamp = "{}", component.stem
        # The library's own tables are not made for many threads.
        self.lock = threading.RLock()
        self.describe("{}")
        self.settings = json.dumps(settings, separators=(",", ":"))
        manifest = self.describe(self.settings)
        self.stamp = f"{manifest.name}@{manifest.version}"

    def describe(self, settings: str) -> Record:
        manifest = self.enter(Entry(self), "rules", "describe", settings)
        if isinstance(manifest, list):
            raise ValueError("; ".join(f"{'.'.join(error.key)}: {error.message}" for error in manifest))
        return manifest

    def enter(self, entry: Entry, interface: str, function: str, *arguments):
        """Runs one function in a fresh instance: nothing is left over from the entry before."""
        with self.lock:
            store, linker = Store(self.engine), Linker(self.engine)
            store.set_wasi(WasiConfig())  # nothing granted
            linker.add_wasip2()
            with linker.root() as root:
                for name, functions in entry.imports().items():
                    with root.add_instance(CONTRACT.format(name)) as instance:
                        for function_name, act in functions.items():
                            instance.add_func(function_name, act)
            instance = linker.instantiate(store, self.component)
            exported = instance.get_export_index(store, CONTRACT.format(interface))
            found = instance.get_func(store, instance.get_export_index(store, function, exported))
            return found(store, *arguments)

    def advance(self, job: Job, event: Record) -> Record:
        return self.enter(Entry(self, job.session, job=job), "conduct", "advance", job.record(), event)

    def call(self, session: str, tool: str, arguments: dict) -> dict:
        """A call, from the agent's words to the answer: JSON where the tool answers in JSON, else text."""
        call = record(
            id=ulid(), session=session, tool=tool, arguments=json.dumps(arguments, separators=(",", ":")), now=time.time_ns() // 1_000_000,
            approved=[],
        )
        entry = Entry(self, session, call)
        try:
            answer = self.enter(entry, "conduct", "call", call)
        except Exception:
            if entry.begun:  # a policy that fails runs nothing
                entry.begun.send("kill", "tree")
            raise
        if entry.begun:
            self.jobs[entry.begun.launch.job] = entry.begun
            entry.begun.run()
        if answer.tag == "wait":
            job = self.jobs[answer.payload.job]
            job.wait(field(answer.payload, "at-most"))
            return self.said(self.enter(Entry(self, session, job=job), "conduct", "settle", call, job.record()))
        # Nobody is there to be asked.
        return self.said(answer.payload.refusal if answer.tag == "ask" else answer.payload)

    @staticmethod
    def said(reply: Record) -> dict:
        answer = reply.structured if reply.structured is not None else reply.text
        return {"answer": answer, "error": field(reply, "is-error")}
