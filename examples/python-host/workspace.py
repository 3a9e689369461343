"""The project's files, as far as a policy may know them."""

import os
import pwd
from pathlib import Path

from wasmtime.component import Variant

from values import record


def kind(path: Path) -> str:
    if not path.exists():
        return "missing"
    if path.is_dir():
        return "directory"
    return "file" if path.is_file() else "other"


class Workspace:
    def __init__(self, root: Path):
        self.root = root

    def resolve(self, given: str, base: str | None):
        if "\0" in given:
            return Variant("nul")
        start = os.path.join(self.root, base or ".", given)
        try:
            # Links are followed; of what is missing, the nearest existing parent is, and the rest appended.
            absolute = Path(os.path.abspath(start)).resolve()
        except RuntimeError:
            return Variant("circular")
        except PermissionError:
            return Variant("permission-denied")
        except OSError as error:
            return Variant("other", str(error))
        inside = absolute.is_relative_to(self.root)
        return record(
            absolute=str(absolute),
            relative=str(absolute.relative_to(self.root)) if inside else None,
            kind=kind(absolute),
            access=record(
                read=os.access(absolute, os.R_OK),
                write=os.access(absolute, os.W_OK),
                enter=os.access(absolute, os.X_OK),
            ),
        )

    def home(self) -> str:
        return os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir

    def find_program(self, name: str) -> str | None:
        directories = [self.root] if "/" in name else os.environ.get("PATH", "").split(":")
        places = (Path(directory, name) for directory in directories)
        return next((str(place) for place in places if place.is_file() and os.access(place, os.X_OK)), None)
