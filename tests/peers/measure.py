"""Measures tools that run commands for agents side by side: the same commands, one tool after the other.

Called by `tests/peers/run` with the path of `shellward`, the directory in which the others are installed, and the names
of those to measure (all, if none are given). Prints a table in Markdown.
"""

import asyncio
import datetime
import os
import platform
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

import tools

# What a command is given that has to be ended for being late.
SHORT = 1
# What a command is given that should end by itself.
LONG = 20
# What `sleep` is given in a command whose children are looked for afterwards: a number that nobody else waits for.
MARK = "86399.%06d"
CALLS = 40
AT_ONCE = 100
OUTPUT = 100_000_000
LINE = 64
PRINTS = f"""python3 -c 'import sys; sys.stdout.write(("x" * {LINE - 1} + chr(10)) * {OUTPUT // LINE})'"""


def sleepers(mark):
    """The processes that sleep for so long, by their numbers."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue  # it is gone
            if words[:2] == [b"sleep", mark.encode()] and state != "Z":
                found.append(int(entry.name))
    return found


async def gone(mark, seconds=3):
    """Waits until nobody sleeps for so long any more; gives those who still do, having ended them."""
    end = time.monotonic() + seconds
    while (left := sleepers(mark)) and time.monotonic() < end:
        await asyncio.sleep(0.05)
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it is gone
    return len(left)


class Measured:
    """What one tool did; each figure is a text for the table."""

    def __init__(self, tool):
        self.tool = tool
        self.count = 0

    def mark(self):
        self.count += 1
        return MARK % (self.count * 1000 + os.getpid() % 1000)

    async def timed(self, command, seconds):
        begun = time.perf_counter()
        answer = await self.tool.run(command, seconds)
        return answer, time.perf_counter() - begun

    async def latency(self):
        """One command after the other."""
        for _ in range(3):
            await self.tool.run("true", LONG)
        taken = [(await self.timed("true", LONG))[1] for _ in range(CALLS)]
        return f"{statistics.median(taken) * 1000:.1f} ms"

    async def held_pipe(self):
        """A command that ends at once, and leaves a child behind that holds its output open."""
        mark = self.mark()
        answer, taken = await self.timed(f"sleep {mark} & echo done", LONG)
        said = "answered" if "done" in answer else "nothing of what it printed answered"
        left = "" if await gone(mark, 0.2) else ", child ended"
        return f"{said} after {taken:.2f} s{left}"

    async def survivors(self, command):
        """A command that is ended for being late: which of its processes outlive that."""
        mark = self.mark()
        _, taken = await self.timed(command.format(sleep=f"sleep {mark}"), SHORT)
        left = await gone(mark)
        return f"{left} left" if left else f"none (answered after {taken:.1f} s)"

    async def at_once(self):
        """Many commands at the same time, each of which must be answered with its own output."""
        begun = time.perf_counter()
        calls = (self.tool.run(f"sleep 0.1; echo number-{number}-", LONG) for number in range(AT_ONCE))
        answers = await asyncio.gather(*calls, return_exceptions=True)
        taken = time.perf_counter() - begun
        right = sum(
            f"number-{number}-" in answer for number, answer in enumerate(answers) if isinstance(answer, str)
        )
        return f"{taken:.2f} s" if right == AT_ONCE else f"{right} of {AT_ONCE} right, {taken:.2f} s"

    async def output(self):
        """More output than an agent can read."""
        answer, taken = await self.timed(PRINTS + "; echo the end", 60)
        letters, told = answer.count("x") * LINE // (LINE - 1), any(word in answer.lower() for word in tools.CUT)
        said = "" if letters >= OUTPUT else ", says that it was cut" if told else ", does not say that it was cut"
        end = "" if "the end" in answer else ", without its end"
        return f"{taken:.1f} s, {size(letters)} answered{said}{end}"


def size(letters):
    return f"{letters / 1e6:.0f} MB" if letters >= 1e6 else f"{letters / 1e3:.0f} kB"


MEASURES = [
    ("one command (`true`), median", Measured.latency),
    ("`sleep … & echo done`", Measured.held_pipe),
    (f"too late after {SHORT} s: a child", lambda m: m.survivors("{sleep} & {sleep}; true")),
    (f"too late after {SHORT} s: `setsid`", lambda m: m.survivors("setsid {sleep} & {sleep}; true")),
    (
        f"too late after {SHORT} s: daemon (double fork)",
        lambda m: m.survivors("(setsid sh -c '{sleep} & {sleep} & exit' &); {sleep}; true"),
    ),
    (f"{AT_ONCE} commands at once (each 0.1 s)", Measured.at_once),
    (f"{OUTPUT // 1_000_000} MB of output", Measured.output),
]


async def measured(kind, place):
    """One column of the table."""
    with tempfile.TemporaryDirectory(prefix="shellward-peers-") as home:
        cells = []
        for name, measure in MEASURES:
            # One for each, so that a tool that is stuck spoils no other figure.
            try:
                async with asyncio.timeout(180), kind.started(place, Path(home)) as tool:
                    cells.append(await measure(Measured(tool)))
            except TimeoutError:
                cells.append("no answer in 180 s")
            except Exception as error:  # What a tool does wrong is its figure, not the end of the others'.
                cells.append(f"failed: {str(error).splitlines()[0][:60] if str(error) else type(error).__name__}")
            print(f"{kind.name}: {name}: {cells[-1]}", file=sys.stderr, flush=True)
        return cells


async def main():
    shellward, directory, *wanted = sys.argv[1:]
    place = tools.Place(Path(shellward), Path(directory))
    kinds = [kind for kind in tools.ALL if not wanted or kind.name in wanted]
    if not kinds:
        sys.exit(f"there are: {', '.join(kind.name for kind in tools.ALL)}")
    columns = [await measured(kind, place) for kind in kinds]
    today = datetime.date.today().isoformat()
    print(f"Measured on {today} on {os.cpu_count()} cores of {platform.machine()}, Linux {platform.release()}.\n")
    print("| |", " | ".join(f"{kind.name} {kind.version(place)}" for kind in kinds), "|")
    print("|---" * (len(kinds) + 1) + "|")
    for (name, _), *cells in zip(MEASURES, *columns):
        print("|", " | ".join([name, *cells]), "|")


asyncio.run(main())
