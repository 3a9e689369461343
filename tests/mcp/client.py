"""Holds `shellward mcp` to what the official Python client expects, over stdio or HTTP, in an old or the newest revision.

Called by tests/it/mcp with one argument: JSON with
  command      the server's command line (stdio) or null
  url, token   where it listens (HTTP) or null
  mode         "legacy" or a revision without handshake, such as "2026-07-28"
  policy       its name
  tool         the tool that takes a command line, with
  argument     the argument that takes it, and
  constant     further arguments
  background   arguments that start a background job, or null
  parallel     whether the policy runs two commands of one session at once, or else says that it does not
  asks         whether the policy asks a human about a command that cannot be known
  directory    an empty directory for files that show what ran
Prints `ok NAME` for each check; an exception fails the run.
"""

import asyncio
import contextlib
import json
import os
import sys
import time
import warnings

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
import mcp_types as types

warnings.simplefilter("ignore")
SPEC = json.loads(sys.argv[1])
MODERN = SPEC["mode"] != "legacy"
LONGEST = 60


def ok(name):
    print("ok", name, flush=True)


async def until(condition, what):
    end = time.monotonic() + LONGEST
    while True:
        found = condition()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"never came: {what}")
        await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def client(name="", **options):
    """A client of its own, with its own server on stdio."""
    if SPEC["command"]:
        program, *arguments = SPEC["command"]
        server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
        async with Client(server, mode=SPEC["mode"], **options) as made:
            yield made
        return
    headers = {"authorization": f"Bearer {SPEC['token']}"}
    if name:
        headers["shellward-session"] = name
    async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(LONGEST)) as http:
        transport = streamable_http_client(SPEC["url"], http_client=http)
        async with Client(transport, mode=SPEC["mode"], **options) as made:
            yield made


def arguments(command):
    return {**SPEC["constant"], SPEC["argument"]: command}


def text(result):
    return "\n".join(block.text for block in result.content)


def file(name):
    return os.path.join(SPEC["directory"], name)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    # Gone before the file was opened, or between that and the reading.
    except (FileNotFoundError, ProcessLookupError):
        return False


def pid_in(name):
    try:
        with open(file(name)) as found:
            line = found.read()
            return int(line) if line.endswith("\n") else None
    except FileNotFoundError:
        return None


def naming(name):
    """A command that writes the number of its shell to a file and goes on for long."""
    return f"sh -c 'echo $$ > {file(name)}; echo waiting; exec sleep 300'"


async def basics():
    async with client() as one:
        assert one.protocol_version == ("2025-11-25" if not MODERN else SPEC["mode"]), one.protocol_version
        if not MODERN:
            assert one.server_info.name == "shellward"
            assert one.server_capabilities.tools.list_changed and one.server_capabilities.resources.subscribe
        ok("handshake")
        tools = {tool.name: tool for tool in (await one.list_tools()).tools}
        tool = tools[SPEC["tool"]]
        assert tool.input_schema["type"] == "object" and SPEC["argument"] in tool.input_schema["properties"], tool
        assert tool.annotations.read_only_hint is not None and tool.annotations.destructive_hint is not None, tool
        ok("tools")
        result = await one.call_tool(SPEC["tool"], arguments("echo hello there"))
        assert not result.is_error and "hello there" in text(result), result
        assert result.meta["shellward/policy"].startswith(SPEC["policy"] + "@"), result.meta
        assert len(result.meta["shellward/call"]) == 26 and result.meta["shellward/job"], result.meta
        if tool.output_schema:
            assert result.structured_content is not None
        if result.structured_content is not None:
            assert json.loads(text(result)) == result.structured_content
        ok("call")
        wrong = await one.call_tool(SPEC["tool"], {**SPEC["constant"], SPEC["argument"]: 7})
        assert wrong.is_error and text(wrong), wrong
        ok("wrong arguments are the tool's error")
        with contextlib.suppress(MCPError):
            await one.call_tool("no-such-tool", {})
            raise AssertionError("a tool that is not there was called")
        ok("unknown tool is a protocol error")
        missing = "shellward://jobs/no-such-job/stdout"
        with contextlib.suppress(MCPError):
            await one.read_resource(missing)
            raise AssertionError("a resource that is not there was read")
        templates = (await one.list_resource_templates()).resource_templates
        assert "shellward://jobs/{id}/stdout" in [template.uri_template for template in templates], templates
        ok("unknown resource is a protocol error")


async def cancelling():
    async with client() as one:
        call = asyncio.create_task(one.call_tool(SPEC["tool"], arguments(naming("cancelled"))))
        pid = await until(lambda: pid_in("cancelled"), "the command's number")
        assert alive(pid)
        # Meanwhile others are answered.
        answer = await asyncio.wait_for(one.call_tool(SPEC["tool"], arguments("echo quick")), LONGEST)
        assert text(answer) and (not SPEC["parallel"] or "quick" in text(answer)), answer
        ok("a long call blocks no other")
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError, MCPError):
            await call
        await until(lambda: not alive(pid), "the end of the cancelled command")
        # What lasts, a shell, has to come back from it.
        async def has_room():
            return not (await one.call_tool(SPEC["tool"], arguments("echo next"))).is_error

        await until(has_room, "room for the next command")
        ok("cancelled")


async def progress():
    seen = []

    async def note(progress, _total, message):
        seen.append((progress, message))

    async with client() as one:
        command = f"sh -c 'echo working on it; while [ ! -e {file('go')} ]; do sleep 0.1; done'"
        call = asyncio.create_task(one.call_tool(SPEC["tool"], arguments(command), progress_callback=note))
        await until(lambda: len(seen) >= 2 and seen[-1][1], "progress with a last line")
        open(file("go"), "w").close()
        result = await call
        assert not result.is_error, result
        assert seen[0][0] < seen[1][0] and seen[-1][1] == "working on it", seen
        ok("progress")


async def resources():
    updates = []

    async def hear(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            updates.append(str(message.params.uri))

    async with client("resources", message_handler=hear) as one:
        before = file("before"), file("after")
        command = (
            f"sh -c 'echo first; while [ ! -e {before[0]} ]; do sleep 0.1; done; echo second; "
            f"while [ ! -e {before[1]} ]; do sleep 0.1; done'"
        )
        call = asyncio.create_task(one.call_tool(SPEC["tool"], arguments(command)))

        async def listed():
            found = (await one.list_resources()).resources
            return [str(resource.uri) for resource in found if str(resource.uri).endswith("/stdout")]

        (uri,) = await until(listed, "the job among the resources")

        async def shown():
            return (await one.read_resource(uri)).contents[0].text

        await until(lambda: holds(shown, "first\n"), "the first line")
        async with contextlib.AsyncExitStack() as stack:
            if MODERN:
                heard = await stack.enter_async_context(one.listen(resource_subscriptions=[uri]))

                async def gather():
                    async for event in heard:
                        updates.append(str(event.uri))

                gathering = asyncio.create_task(gather())
                stack.callback(gathering.cancel)
            else:
                await one.subscribe_resource(uri)
            open(before[0], "w").close()
            await until(lambda: uri in updates, "the update")
            await until(lambda: holds(shown, "first\nsecond\n"), "the second line")
            ok("resources")
            async with client("another") as two:
                assert not [r for r in (await two.list_resources()).resources if uri == str(r.uri)]
                with contextlib.suppress(MCPError):
                    await two.read_resource(uri)
                    raise AssertionError("another client's output was read")
                ok("two clients")
            open(before[1], "w").close()
            await call


async def holds(read, expected):
    return await read() == expected


async def background():
    notices = []

    async def note(params):
        notices.append(params)

    async with client(logging_callback=note) as one:
        result = await one.call_tool(SPEC["tool"], SPEC["background"])
        assert not result.is_error, result
        if MODERN:
            ok("background job started")
            return
        await until(lambda: notices, "the notice of completion")
        assert notices[0].logger == SPEC["policy"] and notices[0].level in ("info", "warning"), notices
        assert notices[0].data["type"] and notices[0].data["job"] and notices[0].data["data"], notices
        ok("completion is told")


async def asking():
    questions = []

    def answering(action, content):
        async def answer(_context, params):
            questions.append(params.message)
            return types.ElicitResult(action=action, content=content)

        return answer

    command = "${UNKNOWN_PROGRAM:-echo} asked"
    for name, callback, runs in [
        ("yes", answering("accept", {"decision": "run it once"}), True),
        ("no", answering("accept", {"decision": "do not run it"}), False),
        ("declined", answering("decline", None), False),
    ]:
        questions.clear()
        async with client(elicitation_callback=callback) as one:
            result = await one.call_tool(SPEC["tool"], arguments(command))
            assert len(questions) == 1 and questions[0], questions
            assert result.is_error != runs, (name, result)
            ok(f"asked and answered: {name}")
    async with client() as one:
        result = await one.call_tool(SPEC["tool"], arguments(command))
        assert result.is_error and "elicitation" in text(result), result
        ok("nobody to ask")


async def leaving():
    async with client("leaving") as one:
        call = asyncio.create_task(one.call_tool(SPEC["tool"], arguments(naming("left"))))
        pid = await until(lambda: pid_in("left"), "the command's number")
        if MODERN and SPEC["url"]:
            # Without sessions only the end of the request says that nobody waits.
            call.cancel()
    with contextlib.suppress(asyncio.CancelledError, MCPError):
        await call
    await until(lambda: not alive(pid), "the end of what a client has left behind")
    ok("a client that leaves leaves nothing running")


async def main():
    await basics()
    await cancelling()
    await progress()
    await resources()
    if SPEC["background"]:
        await background()
    if SPEC["asks"]:
        await asking()
    await leaving()
    print("all passed", flush=True)


asyncio.run(asyncio.wait_for(main(), 5 * LONGEST))
