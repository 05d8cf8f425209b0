"""Measures what a user of the Python package waits for: python bench/python_times.py, where the wheel is installed."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

import isoloss
import numpy as np

MODEL = Path(__file__).resolve().parents[1] / "examples" / "networks" / "residual.onnx"
STARTS = 5
CALLS = 1000


def starts() -> list[float]:
    """Seconds from the start of Python to the end of the first call, in processes of their own."""
    program = f"import isoloss; isoloss.read({str(MODEL)!r})"
    times = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        times.append(time.perf_counter() - begin)
    return times


def evaluations() -> tuple[float, float, float]:
    """Seconds of 1,000 evaluations, one point a call, the first time and the fifth; and of one call with all points."""
    x = np.random.default_rng(0).random((4, 64), dtype=np.float32)
    found = isoloss.discover(
        isoloss.read(MODEL),
        moving=["up1.weight[:, 0]", *(f"head.weight[:, {unit}]" for unit in (2, 4, 9, 14))],
        protect=x,
        recipe={"steps": 100},
        progress=False,
    )
    g, theta = found.element(0.3), found.origin
    rounds = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(CALLS):
            found.action(g, theta)
        rounds.append(time.perf_counter() - begin)
    many = np.broadcast_to(g, (CALLS, *g.shape))
    begin = time.perf_counter()
    found.action(many, theta)
    return rounds[0], rounds[-1], time.perf_counter() - begin


if __name__ == "__main__":
    measured = starts()
    print(f"first call of a process: median {statistics.median(measured):.2f} s, {min(measured):.2f} to {max(measured):.2f} s")
    first, later, together = evaluations()
    print(f"{CALLS} evaluations of 52 weights by an action of 3 x 256: {first:.2f} s, later {later:.2f} s; in one call {together:.3f} s")
