"""The package itself: docstrings, levels, what is exported."""

import inspect
import os
import subprocess
import sys
from typing import Any

import broadleaf
import pytest


def public(kind: type) -> list[tuple[str, Any]]:
    return [(name, member) for name, member in vars(kind).items() if not name.startswith("_")]


def test_everything_public_is_documented() -> None:
    bare = []
    for name in broadleaf.__all__:
        thing = getattr(broadleaf, name)
        if name == "LEVEL":
            continue
        if not inspect.getdoc(thing):
            bare.append(name)
        if not isinstance(thing, type) or issubclass(thing, (tuple, Exception)):
            continue
        bare += [f"{name}.{member}" for member, value in public(thing) if not inspect.getdoc(value)]
    assert not bare


def test_named_tuples_document_each_column() -> None:
    for name in broadleaf.__all__:
        kind = getattr(broadleaf, name)
        if not (isinstance(kind, type) and issubclass(kind, tuple)) or name in ("Config", "Counters", "MemoryUse"):
            continue
        for field in kind._fields:  # type: ignore[attr-defined]
            assert f"{field}: " in (kind.__doc__ or ""), (name, field)


def level_of(asked: str | None) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "BROADLEAF_LEVEL"}
    if asked is not None:
        environment["BROADLEAF_LEVEL"] = asked
    command = [sys.executable, "-c", "import broadleaf; print(broadleaf.LEVEL, broadleaf.Octree().insert([[0, 0, 0, 1, 1, 1]])[0])"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_levels() -> None:
    assert broadleaf.LEVEL == os.environ.get("BROADLEAF_LEVEL", broadleaf.LEVEL)
    baseline = level_of("baseline")
    if baseline.returncode == 0:
        assert baseline.stdout.split() in (["baseline", "1"], ["x86-64-v3", "1"]), baseline
    chosen = level_of(None)
    assert chosen.returncode == 0, chosen.stderr
    assert "must be one of" in level_of("nonsense").stderr


@pytest.mark.skipif(os.environ.get("BROADLEAF_WHEEL") is None, reason="not the wheel with two modules")
def test_the_wheel_has_both_levels() -> None:
    assert level_of("baseline").stdout.split() == ["baseline", "1"]
    from broadleaf import _native

    if _native.runs_v3():
        assert level_of("x86-64-v3").stdout.split() == ["x86-64-v3", "1"]
        assert level_of(None).stdout.split() == ["x86-64-v3", "1"]
