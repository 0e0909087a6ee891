"""Makes one wheel of two: the module of the second, compiled for x86-64-v3, goes into the first.

usage: merge_wheels.py BASELINE.whl V3.whl DIRECTORY
"""

import subprocess
import sys
import tempfile
from pathlib import Path


def wheel(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "wheel", *arguments], check=True)


def unpack(archive: Path, into: Path) -> Path:
    """The directory that a wheel unpacks to."""
    wheel("unpack", str(archive), "--dest", str(into))
    (directory,) = into.iterdir()
    return directory


def main() -> None:
    baseline, v3, directory = (Path(argument) for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        package, faster = unpack(baseline, Path(first)), unpack(v3, Path(second))
        (module,) = (faster / "broadleaf").glob("_native*.so")
        place = package / "broadleaf" / "_v3"
        place.mkdir()
        (place / "__init__.py").write_text('"""The module for x86-64-v3; `broadleaf._select` chooses."""\n')
        (place / module.name).write_bytes(module.read_bytes())
        directory.mkdir(parents=True, exist_ok=True)
        for old in directory.glob("broadleaf-*.whl"):
            old.unlink()
        # Packing writes the list of files with their hashes anew.
        wheel("pack", str(package), "--dest-dir", str(directory))


main()
