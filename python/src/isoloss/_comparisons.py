"""Two networks side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from isoloss import _arrays, _jobs
from isoloss._arrays import Inputs
from isoloss._model import Model, as_model
from isoloss._results import Result

_SAME, _DIFFERENT = 0, 3


def check(
    a: Model | str | os.PathLike[str],
    b: Model | str | os.PathLike[str],
    x: Inputs,
    *,
    fresh: Inputs | None = None,
    tolerance: float = 1e-5,
) -> Result:
    """
    Tell whether two networks compute the same on inputs, in float64 and float32, and which tensors differ.

    Parameters
    ----------
    a, b
        Models, or their paths.
    x
        Inputs, shape (n, ...), or a dict by the names of inputs.
    fresh
        Other inputs.
    tolerance
        Largest difference of an output, relative to its largest magnitude, that counts as the same.

    Returns
    -------
    Result
        True where they are the same; the numbers by key.
    """
    first, second = as_model(a), as_model(b)
    with _arrays.scratch() as folder:
        words: list[Any] = ["check", first.path, second.path, "--tolerance", tolerance, *first.layer_options]
        for name, option, given in (("x", "--data", x), ("fresh", "--fresh", fresh)):
            if given is not None:
                file = Path(folder) / f"{name}.npz"
                _arrays.save(file, _arrays.named(given, first.inputs, name))
                words += [option, file]
        found = _jobs.run_json(*words, accept=(_SAME, _DIFFERENT))
    return Result("check", found, truth=bool(found["same"]))


def align(
    a: Model | str | os.PathLike[str],
    b: Model | str | os.PathLike[str],
    *,
    x: Inputs | None = None,
    seed: int = 1,
    save: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Result:
    """
    Find the element of the symmetry group of one network that brings its weights nearest to those of another.

    Parameters
    ----------
    a
        The network that is moved.
    b
        The network that it is brought near, of the same architecture.
    x
        Inputs on which the two are compared; random inputs where left out.
    seed
        Of random inputs.
    save
        Where to write ``a``, moved.
    progress
        Whether to draw a bar.

    Returns
    -------
    Result
        True where the two are the same up to symmetry; the numbers by key.
    """
    first, second = as_model(a), as_model(b)
    words: list[Any] = ["align", first.path, second.path, "--seed", seed, *first.layer_options]
    if save is not None:
        words += ["--save", Path(save)]
    with _arrays.scratch() as folder:
        if x is not None:
            file = Path(folder) / "x.npz"
            _arrays.save(file, _arrays.named(x, first.inputs))
            words += ["--data", file]
        found = _jobs.run_json(*words, progress=progress)
    return Result("align", found, truth=bool(found["same"]))
