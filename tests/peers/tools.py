"""How each tool is started, and has a command run: `run` gives all the text with which a command is answered."""

import asyncio
import contextlib
import json
import os
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from mcp import Client, StdioServerParameters

# Words by which a tool says that its answer is not all of the output.
CUT = ("truncat", "left out", "not kept", "dropped", "omitted", "remaining")


@dataclass
class Place:
    """Where the tools are."""

    shellward: Path
    directory: Path

    def node(self, program):
        return str(self.directory / "node/node_modules/.bin" / program)

    def package(self, name):
        found = self.directory / "node/node_modules" / name / "package.json"
        return json.loads(found.read_text())["version"]

    def pueue(self, program):
        return str(self.directory / "pueue/bin" / program)


def environment(home):
    """Nothing of the user's own settings."""
    return {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}


class OverMcp:
    """A server that is spoken to over MCP on its standard input and output."""

    def __init__(self, client):
        self.client = client

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place, home):
        program, *arguments = cls.command(place, home)
        async with Client(StdioServerParameters(command=program, args=arguments, env=environment(home))) as client:
            yield cls(client)

    async def call(self, tool, arguments):
        result = await self.client.call_tool(tool, arguments)
        return "\n".join(block.text for block in result.content if hasattr(block, "text"))


class Shellward(OverMcp):
    """Ours, with the policy `bash`."""

    name = "Shellward"

    @staticmethod
    def version(place):
        return subprocess.check_output([place.shellward, "--version"], text=True).split()[-1]

    @staticmethod
    def command(place, home):
        project = home / "project"
        project.mkdir(exist_ok=True)
        return [str(place.shellward), "mcp", "--policy", "bash", "--project", str(project)]

    async def run(self, command, seconds):
        return await self.call("Bash", {"command": command, "timeout_ms": seconds * 1000})


class DesktopCommander(OverMcp):
    """Its `timeout_ms` is how long it waits, not how long the command may take: what is late is ended by
    `force_terminate`."""

    name = "Desktop Commander"

    @staticmethod
    def version(place):
        return place.package("@wonderwhy-er/desktop-commander")

    @staticmethod
    def command(place, _home):
        return [place.node("desktop-commander")]

    async def run(self, command, seconds):
        given = {"command": command, "timeout_ms": seconds * 1000}
        said = await self.call("start_process", given)
        if "process is running" in said.lower():
            pid = int(said.partition("PID ")[2].split()[0].rstrip(",.)"))
            said += await self.call("force_terminate", {"pid": pid})
        return said


class Codex:
    """Its app server's `command/exec`, without its sandbox and without a limit of output, which is the caller's."""

    name = "Codex"

    def __init__(self, process):
        self.process = process
        self.next = 0
        self.waiting = {}

    @staticmethod
    def version(place):
        return place.package("@openai/codex")

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place, home):
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            place.node("codex"), "app-server", stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL,
            env=environment(home), limit=1 << 30, start_new_session=True,
        )
        tool = cls(process)
        reading = asyncio.create_task(tool.read())
        try:
            await tool.request("initialize", {"clientInfo": {"name": "peers", "version": "1"}})
            tool.send({"method": "initialized"})
            yield tool
        finally:
            reading.cancel()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            await process.wait()

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def read(self):
        while line := await self.process.stdout.readline():
            message = json.loads(line)
            if waiter := self.waiting.pop(message.get("id"), None):
                waiter.set_result(message)

    async def request(self, method, params):
        self.next += 1
        self.waiting[self.next] = waiter = asyncio.get_running_loop().create_future()
        self.send({"id": self.next, "method": method, "params": params})
        message = await waiter
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    async def run(self, command, seconds):
        result = await self.request("command/exec", {
            "command": ["bash", "-c", command], "timeoutMs": seconds * 1000, "sandboxPolicy": {"type": "dangerFullAccess"},
        })
        return result["stdout"] + result["stderr"]


class SweRex:
    """Its local runtime's `execute`, without the HTTP server that usually stands in front of it."""

    name = "SWE-ReX"

    def __init__(self, runtime):
        self.runtime = runtime

    @staticmethod
    def version(_place):
        return metadata.version("swe-rex")

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, _place, _home):
        import logging

        from swerex.runtime.local import LocalRuntime

        logging.disable(logging.CRITICAL)
        runtime = LocalRuntime()
        try:
            yield cls(runtime)
        finally:
            await runtime.close()

    async def run(self, command, seconds):
        from swerex.exceptions import CommandTimeoutError
        from swerex.runtime.abstract import Command

        try:
            done = await self.runtime.execute(Command(command=command, shell=True, timeout=seconds))
        except CommandTimeoutError:
            return ""
        return done.stdout + done.stderr


class Pueue:
    """Its daemon and its command line. It has no time limits: what is late is ended by `pueue kill`."""

    name = "pueue"

    def __init__(self, program, options):
        self.program, self.options = program, options

    @staticmethod
    def version(place):
        return subprocess.check_output([place.pueue("pueue"), "--version"], text=True).split()[-1]

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, place, home):
        config = home / "pueue.yml"
        config.write_text(json.dumps({
            "client": {}, "shared": {"pueue_directory": str(home / "pueue"), "runtime_directory": str(home)}, "daemon": {},
        }))
        daemon = await asyncio.create_subprocess_exec(
            place.pueue("pueued"), "--config", config, env=environment(home), start_new_session=True,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )
        tool = cls(place.pueue("pueue"), ["--config", str(config)])
        try:
            for _ in range(100):
                if (await tool.ask("status"))[0] == 0:
                    break
                await asyncio.sleep(0.05)
            await tool.ask("parallel", "100")
            yield tool
        finally:
            await tool.ask("shutdown")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(daemon.pid, 9)
            await daemon.wait()

    async def ask(self, *words):
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(self.program, *self.options, *words, stdout=pipe, stderr=pipe)
        try:
            out, error = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            raise
        return process.returncode, (out + error).decode(errors="replace")

    async def run(self, command, seconds):
        code, task = await self.ask("add", "--print-task-id", "--", command)
        if code != 0:
            raise RuntimeError(task)
        task = task.strip()
        try:
            await asyncio.wait_for(self.ask("wait", "--quiet", task), seconds)
        except TimeoutError:
            await self.ask("kill", task)
            await self.ask("wait", "--quiet", task)
        return (await self.ask("log", "--full", "--json", task))[1]


ALL = [Shellward, DesktopCommander, Codex, SweRex, Pueue]
