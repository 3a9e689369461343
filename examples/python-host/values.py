"""Values of the contract as wasmtime's Python library takes them: records have fields with hyphens."""

from wasmtime.component import Record


def record(**fields) -> Record:
    """A record; `_` in a name stands for `-`."""
    made = Record()
    for name, value in fields.items():
        setattr(made, name.replace("_", "-"), value)
    return made


def field(made: Record, name: str):
    """A record's field, by its name in the contract."""
    return getattr(made, name)
