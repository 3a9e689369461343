"""Makes the calls of a transcript, one after the other, and prints the answers.

    python transcript.py POLICY.wasm PROJECT < transcript.json
"""

import json
import re
import sys
import time
from pathlib import Path

from host import Host


def main():
    component, project = map(Path, sys.argv[1:])
    transcript = json.load(sys.stdin)
    host = Host(component, project, transcript["settings"])
    answers, job = [], ""
    for call in transcript["calls"]:
        # `$job` stands for the last job that an answer named; a call with `until` is made again until its answer
        # says so.
        arguments = json.loads(json.dumps(call["arguments"]).replace("$job", job))
        for _ in range(1000):
            said = host.call("transcript", call["tool"], arguments)
            if call.get("until", "") in said["answer"]:
                break
            time.sleep(0.01)
        else:
            raise TimeoutError(f"the answer never says {call['until']}: {said['answer']}")
        found = re.search('"job_id":"([^"]+)"', said["answer"])
        job = found[1] if found else job
        answers.append(said)
    print(json.dumps(answers))


main()
