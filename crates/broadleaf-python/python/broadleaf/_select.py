"""Chooses the module for this processor.

A wheel for x86-64 has two: ``broadleaf/_native`` runs on every such processor, and
``broadleaf/_v3/_native`` on those with AVX2 (x86-64-v3), faster. A package that was built
from source has the first alone. The variable BROADLEAF_LEVEL, ``baseline`` or
``x86-64-v3``, overrides the choice.
"""

import importlib
import os
import sys

LEVELS = ("baseline", "x86-64-v3")


def choose() -> None:
    """Makes the module for this processor ``broadleaf._native``."""
    asked = os.environ.get("BROADLEAF_LEVEL")
    if asked is not None and asked not in LEVELS:
        raise ImportError(f"BROADLEAF_LEVEL must be one of {LEVELS}, but is {asked!r}")
    native = importlib.import_module("broadleaf._native")
    if asked == "baseline" or native.LEVEL == "x86-64-v3":
        return
    if not native.runs_v3():
        if asked is not None:
            raise ImportError("BROADLEAF_LEVEL is x86-64-v3, which this processor does not run")
        return
    try:
        faster = importlib.import_module("broadleaf._v3._native")
    except ModuleNotFoundError:
        if asked is not None:
            raise ImportError("BROADLEAF_LEVEL is x86-64-v3, but this package was built without it") from None
        return
    sys.modules["broadleaf._native"] = faster
    setattr(sys.modules["broadleaf"], "_native", faster)
