"""Makes the archive of loaded and linked classes that later starts read: ``python -m isoloss._archive FILE``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import jpype
import numpy as np

import isoloss
from isoloss import _runtime


def main(archive: Path) -> None:
    """Do a little of everything in a Java that records, then put its archive where starts look for it."""
    new = archive.with_name(f"{archive.name}.{os.getpid()}.new")
    _runtime.start_recording(new)
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(1)
        layers: dict[str, Any] = {
            "0.weight": rng.standard_normal((4, 2)),
            "0.bias": rng.standard_normal(4),
            "2.weight": rng.standard_normal((2, 4)),
        }
        file = Path(folder) / "small.npz"
        np.savez(file, **layers)
        model = isoloss.read(file, activation="tanh")
        isoloss.symmetries(model, progress=False)
        found = isoloss.discover(
            model, protect=rng.standard_normal((2, 2)), recipe={"steps": 20, "width": 16}, progress=False
        )
        found.theta(np.linspace(-0.5, 0.5, 3))
        found.tensors(0.5)
    jpype.shutdownJVM()
    new.replace(archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
