"""What symmetries there are, from the graph alone or exactly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isoloss import _arrays, _jobs
from isoloss._arrays import Inputs
from isoloss._model import Model, as_model
from isoloss._results import Result


def symmetries(
    model: Model | str | os.PathLike[str],
    *,
    moving: Sequence[str] = (),
    x: Inputs | None = None,
    near: bool = False,
    seed: int = 1,
    progress: bool = True,
) -> Result:
    """
    List the changes of a network's parameters that leave its outputs as they are.

    Parameters
    ----------
    model
        A `Model`, or the path of one.
    moving
        These parameters alone may change.
    x
        These inputs alone count; every input where left out.
    near
        Also list families that would be exact if the epsilons of norms were 0.
    seed
        Of the random inputs and elements by which each family is verified.
    progress
        Whether to draw a bar.

    Returns
    -------
    Result
        ``table`` has one row for every family.
    """
    chosen = as_model(model)
    words: list[Any] = ["symmetries", chosen.path, "--seed", seed, *chosen.layer_options]
    for part in [moving] if isinstance(moving, str) else moving:
        words += ["--moving", part]
    if near:
        words.append("--near")
    with _arrays.scratch() as folder:
        if x is not None:
            file = Path(folder) / "x.npz"
            _arrays.save(file, _arrays.named(x, chosen.inputs))
            words += ["--data", file]
        found = _jobs.run_json(*words, progress=progress)
    return Result("symmetries", found, rows="families")


def recover(
    network: str | os.PathLike[str],
    *,
    seed: int = 101,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Result:
    """
    Recover all affine symmetries of a small architecture, as a Lie algebra with its name and a certificate.

    Parameters
    ----------
    network
        A task file for ``isoloss recover``, such as those of examples/recover, or an ONNX file.
    seed
        Of the samples.
    out
        Folder for the certificate and the figures; a temporary one where left out.
    progress
        Whether to draw a bar.

    Returns
    -------
    Result
        The algebra by key; ``path`` is the folder.
    """
    owner = _arrays.scratch() if out is None else None
    folder = Path(owner.name) / "recovered" if owner is not None else Path(out or "")
    found = _jobs.run_json("recover", Path(network), "--seeds", seed, "--out", folder, progress=progress)
    return Result("recover", found, path=folder, owner=owner)
