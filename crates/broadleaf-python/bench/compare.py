"""Beside what people pick today, in one run, every answer verified.

usage: compare.py [--counts 10000,100000,1000000] [--threads 1] [--rounds 5] [--record FILE.csv]

Rounds are interleaved: each subject once, then again; medians are told, on one thread of
the processor's time, on several of the wall's. A peer is asked by
its vectorised call where it has one. What would take a peer minutes is left out, and the table says so.
"""

from __future__ import annotations

import argparse
import csv
import gc
import os
import platform
import subprocess
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import broadleaf
import numpy as np
import scenes
from peers import Case, cases

Answer = Any


def measure(
    subjects: list[tuple[str, Case]], rounds: int, clock: Callable[[], float], check: Callable[[str, Answer], None]
) -> dict[str, float]:
    """Median seconds of each subject; slow ones are run once."""
    times: dict[str, list[float]] = {name: [] for name, _ in subjects}
    for turn in range(rounds):
        for name, case in subjects:
            if turn and (case.once or times[name][0] > 10):
                continue
            state = case.prepare()
            gc.collect()
            start = clock()
            answer = case.run(state)
            times[name].append(clock() - start)
            if turn == 0:
                check(name, case.canonical(answer))
            del answer, state
    return {name: float(np.median(seconds)) for name, seconds in times.items()}


def compare(operation: str, subjects: list[tuple[str, Case]], rounds: int, clock: Callable[[], float]) -> dict[str, float]:
    """Runs all subjects of an operation, and compares each answer with that of broadleaf."""
    wanted: list[Answer] = []

    def check(name: str, answer: Answer) -> None:
        if not wanted:
            wanted.append(answer)
        elif not scenes.same(answer, wanted[0]):
            raise SystemExit(f"{operation}: {name} answers otherwise")

    return measure(subjects, rounds, clock, check)


def machine() -> str:
    model = "unknown processor"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as info:
            models = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
        model = models[0] if models else model
    rust = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    packages = []
    for name in ("numpy", "scipy", "rtree", "trimesh", "embreex", "python-fcl", "coal"):
        try:
            packages.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            packages.append(f"{name} not there")
    python = platform.python_version()
    return f"{model}, {os.cpu_count()} cores; {rust}; Python {python}; {', '.join(packages)}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--counts", default="10000,100000,1000000")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--operations", default="")
    parser.add_argument("--record")
    options = parser.parse_args()
    print(f"{machine()}\nmodule {broadleaf.LEVEL}, threads {options.threads}, load {os.getloadavg()[0]:.1f}")
    # On one thread the processor's time tells the same, and a busy machine does not show in it.
    clock = time.process_time if options.threads == 1 else time.perf_counter
    rows = []
    chosen = [word for word in options.operations.split(",") if word]
    for count in (int(word) for word in options.counts.split(",")):
        for operation, subjects in cases(count, options.threads):
            if chosen and not any(operation.startswith(word) for word in chosen):
                continue
            seconds = compare(operation, subjects, options.rounds, clock)
            ours = seconds["broadleaf"]
            for name, taken in seconds.items():
                ratio = taken / ours
                print(f"{operation:28} {count:8} {name:34} {taken * 1e3:11.2f} ms {ratio:8.2f}", flush=True)
                rows.append([operation, count, name, f"{taken * 1e3:.3f}", f"{ratio:.3f}"])
    if options.record:
        with open(options.record, "w", newline="") as file:
            file.write(f"# {machine()}; module {broadleaf.LEVEL}; threads {options.threads}\n")
            csv.writer(file).writerows([["operation", "count", "subject", "milliseconds", "times as long"], *rows])


main()
