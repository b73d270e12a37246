"""Arguments of a training program: a dataclass, filled from a YAML file and the command line."""

import argparse
import ast
import dataclasses
from collections.abc import Mapping, Sequence
from inspect import getsource
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar, get_type_hints

import yaml

from rummy_env.errors import ArgumentError
from rummy_env.options import suggestion

T = TypeVar("T")


def read_arguments(kind: type[T], given: Sequence[str] | None = None) -> T:
    """A dataclass of arguments from ``--config FILE`` and ``--name value``, which win over the file.

    Args:
        kind: The dataclass; values on the command line are read as YAML.
        given: The command line; that of the process if None.

    Raises:
        ArgumentError: A name is no field, a value has another type than its field, or a text is no YAML; names it.
        OSError: The file cannot be read.
    """
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    says = _field_docstrings(kind)
    parser = argparse.ArgumentParser(description=(kind.__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--config", type=Path, help="YAML file of arguments")
    for one in fields:
        names = dict.fromkeys([f"--{one.name}", f"--{one.name.replace('_', '-')}"])
        shown = {"help": says.get(one.name, "").replace("%", "%%"), "metavar": "VALUE"}
        parser.add_argument(*names, dest=one.name, default=argparse.SUPPRESS, **shown)
    known, others = parser.parse_known_args(given)
    if others:
        name = others[0].lstrip("-").partition("=")[0].replace("-", "_")
        raise ArgumentError(_unknown(name, [one.name for one in fields]))
    chosen: dict[str, Any] = {}
    if known.config is not None:
        chosen = _read(known.config.read_text(encoding="utf-8"), str(known.config)) or {}
        if not isinstance(chosen, dict):
            raise ArgumentError(f"{known.config}: expected a mapping of arguments")
    chosen |= {name: _read(value, f"{name}={value!r}") for name, value in vars(known).items() if name != "config"}
    return make_arguments(kind, chosen)


def make_arguments(kind: type[T], chosen: Mapping[str, Any]) -> T:
    """The dataclass with these fields; errors as in `read_arguments`."""
    types = get_type_hints(kind)
    fields = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    values = {}
    for name, value in chosen.items():
        if name not in fields:
            raise ArgumentError(_unknown(name, fields))
        values[name] = _checked(name, value, types[name])
    return kind(**values)


def check_least(args: Any, **least: float) -> None:
    """Raise `ArgumentError` where a field of the arguments is less than it may be."""
    for name, value in least.items():
        if getattr(args, name) < value:
            raise ArgumentError(f"{name}={getattr(args, name)}: expected {value} or more")


def check_layers(hidden: Sequence[int]) -> None:
    """Raise `ArgumentError` where these are no sizes of hidden layers."""
    if not hidden or min(hidden) < 1:
        raise ArgumentError(f"hidden={hidden}: expected sizes of one layer or more")


def _read(text: str, name: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ArgumentError(f"{name} is no YAML: {error}") from error


def _unknown(name: str, fields: Sequence[str]) -> str:
    return f"{name}: there is no such argument{suggestion(name, fields)}; there are {', '.join(fields)}"


def _field_docstrings(kind: type[Any]) -> dict[str, str]:
    """What stands below each field of a dataclass, or of one that it extends, by its name."""
    inherited = _field_docstrings(kind.__base__) if dataclasses.is_dataclass(kind.__base__) else {}
    (definition,) = ast.parse(dedent(getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    return inherited | {
        field.target.id: " ".join(str(text.value.value).split())
        for field, text in pairwise(definition.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def _checked(name: str, value: Any, expected: Any) -> Any:
    bare = getattr(expected, "__origin__", expected)
    if bare is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if bare is str and isinstance(value, bool):  # YAML takes yes and no for these
        return "yes" if value else "no"
    if bare is float and isinstance(value, str):  # YAML takes 1e-3 for a text
        try:
            return float(value)
        except ValueError:
            pass
    if type(value) is not bare and bare is not Any:
        raise ArgumentError(f"{name}={value!r}: expected {getattr(bare, '__name__', bare)}")
    return value
