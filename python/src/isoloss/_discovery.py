"""Learning a symmetry."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isoloss import _arrays, _jobs
from isoloss._arrays import Inputs
from isoloss._model import Model, as_model
from isoloss._run import Run
from isoloss.errors import InputError, IsolossError


def discover(
    model: Model | str | os.PathLike[str],
    *,
    protect: Inputs,
    moving: Sequence[str] | None = None,
    site: Mapping[str, Any] | None = None,
    fresh: Inputs | None = None,
    seed: int = 101,
    until_fit: bool = False,
    generators: int = 1,
    size: int = 2,
    action: str = "displacement",
    objective: str = "hybrid",
    recipe: Mapping[str, Any] | None = None,
    deviation: float = 0.1,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Run:
    """
    Learn an action of a group on weights of a network that keeps its outputs on given inputs.

    Parameters
    ----------
    model
        A `Model`, or the path of one.
    protect
        The inputs whose outputs stay: shape (n, ...), one a row, or a dict by the names of inputs.
    moving
        What moves: tensors, or parts such as ``"conv1.weight[0:4]"``; of several the first one moves and the others
        compensate. All parameters where left out.
    site
        In place of ``moving``: units of a hidden layer, such as ``{"layer": 0, "moving": "sensitive"}``.
    fresh
        Other inputs, to see what is not protected.
    seed
        Of the fit. The same seed gives the same bits on the same machine.
    until_fit
        Stop as soon as every tolerance is met with a margin, instead of after all steps.
    generators, size
        How many generators are learned, and the rows of the group's matrices.
    action
        ``"displacement"``, or ``"conjugated"``, whose group law holds by construction.
    objective
        ``"hybrid"``, ``"finite"`` or ``"infinitesimal"``.
    recipe
        Changes of the default recipe, such as ``{"steps": 3000, "optimizer": "soap"}``.
    deviation
        How far around the network's weights the action is trained, in root-mean-square moving weights.
    out
        Folder that keeps the run. The same call goes on with an interrupted run that it finds there, and returns a
        finished one at once. A temporary folder where left out.
    progress
        Whether to draw a bar.

    Returns
    -------
    Run
        What was learned.

    Raises
    ------
    IsolossError
        Where something does not fit, or the fit diverged (`UnusableError`).
    """
    chosen = as_model(model)
    if moving is not None and site is not None:
        raise InputError("moving and site both say what moves; give one")
    if isinstance(moving, str):
        raise InputError(f"moving is the text '{moving}', expected a list of tensors such as ['{moving}']")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InputError(f"seed is {seed!r}, expected a whole number")
    data = _arrays.named(protect, chosen.inputs, "protect")
    others = None if fresh is None else _arrays.named(fresh, chosen.inputs, "fresh")
    kept = None if out is None else Path(out).absolute()
    owner = _arrays.scratch() if kept is None else None
    folder = Path(owner.name) if owner is not None else _made(kept)
    task: dict[str, Any] = {
        "name": _name(chosen),
        "network": _network(chosen, folder if kept is not None else None),
        "data": {"file": _kept(folder, data)},
        **({} if others is None else {"fresh": {"file": _kept(folder, others)}}),
        **(
            {"site": dict(site)}
            if site is not None
            else {"support": {"tensors": list(moving)} if moving else {"all": True}}
        ),
        "group": {"size": size, "generators": generators},
        "action": action,
        "objective": objective,
        "points": {"deviation": deviation, "unit": "weights"},
        **({} if recipe is None else {"recipe": dict(recipe)}),
    }
    request = folder / f"request-{seed}.yaml"
    try:
        request.write_text(json.dumps(task, indent=1), encoding="utf-8")
    except TypeError as failure:
        raise InputError(f"the task has a value that YAML does not know: {failure}") from None
    except OSError as failure:
        raise IsolossError(f"{request} cannot be written: {failure.strerror or failure}") from None
    place = folder / f"seed-{seed}"
    stop = ["--set", "recipe.stop.margin=2"] if until_fit else []
    _jobs.run(
        "discover",
        request,
        "--seed",
        seed,
        "--out",
        place,
        *stop,
        "--format",
        "json",
        "--quiet",
        progress=progress,
    )
    return Run(place, model=chosen, owner=owner)


def _made(folder: Path | None) -> Path:
    assert folder is not None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise IsolossError(f"{folder} cannot be made: {failure.strerror or failure}") from None
    return folder


def _name(model: Model) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", model.path.stem).strip("-") or "model"


def _network(model: Model, folder: Path | None) -> dict[str, Any]:
    """Name the network; one that only lives as long as its `Model` is kept with the run."""
    path = model.path.resolve()
    if folder is not None and model.is_temporary:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        path = folder.resolve() / f"model-{digest}{model.path.suffix}"
        if not path.exists():
            try:
                shutil.copyfile(model.path, path)
            except OSError as failure:
                path.unlink(missing_ok=True)
                raise IsolossError(f"{path} cannot be written: {failure.strerror or failure}") from None
    if model.has_graph:
        return {"model": str(path)}
    named = {} if model.activation is None else {"activation": model.activation}
    return {"checkpoint": str(path), **named}


def _kept(folder: Path, arrays: Mapping[str, Any]) -> str:
    """Keep inputs in a file whose name says what they are, so that other inputs are another task."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.tobytes())
    file = folder.resolve() / f"inputs-{digest.hexdigest()[:12]}.npz"
    if not file.exists():
        _arrays.save(file, arrays)
    return str(file)
