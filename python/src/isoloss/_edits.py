"""Other weights, the same outputs: by symmetry, along a direction, in closed form."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isoloss import _arrays, _jobs
from isoloss._arrays import Inputs
from isoloss._model import Model, as_model
from isoloss.errors import InputError


class Edited(Model):
    """
    A network with other weights.

    Attributes
    ----------
    report : dict
        What was measured: how far the weights moved and what the outputs did, by the keys of ``--format json``.
    """

    report: dict[str, Any]


def transform(
    model: Model | str | os.PathLike[str],
    *,
    random: int | None = None,
    canonical: bool = False,
    balance: bool = False,
    element: str | os.PathLike[str] | None = None,
    inverse: bool = False,
    family: str | None = None,
    layer: str | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Edited:
    """
    Apply an element of the network's symmetry group: other weights, the same function for every input.

    Parameters
    ----------
    model
        A `Model`, or the path of one.
    random
        Draws an element with this seed, of all families or of those that ``family`` and ``layer`` name.
    canonical
        Applies the element that leads to one representative of all networks that differ by the group.
    balance
        Balances the scales of units, so that the norm of all weights is least.
    element, inverse
        Applies the element of this npz file, such as ``out + ".element.npz"`` of an earlier transform, or its inverse.
    out
        The new file; a temporary one where left out.
    progress
        Whether to draw a bar.

    Returns
    -------
    Edited
        The new network; ``report["outputs_as_written"]`` is the largest change of its outputs.
    """
    chosen = as_model(model)
    options: list[Any] = []
    if random is not None:
        options += ["--random", random]
    if canonical:
        options.append("--canonical")
    if balance:
        options.append("--balance")
    if element is not None:
        options += ["--element", Path(element), *(["--inverse"] if inverse else [])]
    options += [*_option("--family", family), *_option("--layer", layer)]
    return _edited("transform", chosen, options, out, progress)


def move(
    model: Model | str | os.PathLike[str],
    *,
    protect: Inputs,
    distance: float | None = None,
    moving: Sequence[str] = (),
    toward: str | None = None,
    fresh: Inputs | None = None,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Edited:
    """
    Move weights far along a direction while the outputs on the protected inputs stay to rounding. Nothing is trained.

    Parameters
    ----------
    model
        A `Model`, or the path of one.
    protect
        The inputs whose outputs stay, shape (n, ...), or a dict by the names of inputs.
    distance
        How far: the norm of the change over that of the weights. As far as the direction leads where left out.
    moving
        What moves; all where left out.
    toward
        ``"random"`` (the default), ``"smaller_norm"``, ``"sparser"``, ``"less_rounding:int8"`` (or int4, bf16), or a
        file with a direction for each tensor.
    fresh
        Other inputs, to see what is not protected.
    seed
        Of a random direction.
    out
        The new file; a temporary one where left out.
    progress
        Whether to draw a bar.

    Returns
    -------
    Edited
    """
    chosen = as_model(model)
    direction = "random" if toward is None else toward
    if direction == "random":
        options: list[Any] = ["--toward", f"random:{seed}"]
    elif direction in ("smaller_norm", "sparser"):
        options = [f"--{direction.replace('_', '-')}"]
    elif direction.startswith("less_rounding:"):
        options = ["--less-rounding", direction.partition(":")[2]]
    else:
        options = ["--toward", Path(direction)]
    options += _option("--distance", distance)
    for part in _parts(moving, "moving"):
        options += ["--moving", part]
    return _edited("move", chosen, options, out, progress, protect=protect, fresh=fresh, inputs="--protect")


def compensate(
    model: Model | str | os.PathLike[str],
    *,
    protect: Inputs,
    by: float,
    units: Sequence[int] = (),
    layer: int = 0,
    moving: Sequence[str] = (),
    compensating: Sequence[str] = (),
    fresh: Inputs | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Edited:
    """
    Move hidden units, or any weights, in closed form and let others compensate, so that protected outputs stay.

    Parameters
    ----------
    model
        A `Model`, or the path of one.
    protect
        The inputs whose outputs stay, shape (n, ...), or a dict by the names of inputs.
    by
        How far, as a share of the norm of what moves.
    units, layer
        The hidden units that move, counted from 0, and their layer.
    moving, compensating
        In place of units: what moves and what compensates, such as ``"head.weight[:, 2]"``.
    fresh
        Other inputs, to see what is not protected.
    out
        The new file; a temporary one where left out.

    Returns
    -------
    Edited
    """
    chosen = as_model(model)
    options: list[Any] = ["--by", by]
    if len(units) > 0:
        options += ["--move", ",".join(str(int(unit)) for unit in units), "--layer", layer]
    for part in _parts(moving, "moving"):
        options += ["--moving", part]
    for part in _parts(compensating, "compensating"):
        options += ["--compensating", part]
    return _edited("compensate", chosen, options, out, False, protect=protect, fresh=fresh, inputs="--data")


def _option(name: str, value: Any) -> list[Any]:
    return [] if value is None else [name, value]


def _parts(parts: Sequence[str], name: str) -> Sequence[str]:
    if isinstance(parts, str):
        raise InputError(f"{name} is the text '{parts}', expected a list of tensors such as ['{parts}']")
    return parts


def _edited(
    command: str,
    model: Model,
    options: Sequence[Any],
    out: str | os.PathLike[str] | None,
    progress: bool,
    *,
    protect: Inputs | None = None,
    fresh: Inputs | None = None,
    inputs: str = "",
) -> Edited:
    owner = _arrays.scratch() if out is None else None
    target = Path(owner.name) / f"{command}-{model.path.name}" if owner is not None else Path(out or "")
    words = [command, model.path, *options, "--out", target, *model.layer_options]
    with _arrays.scratch() as folder:
        for name, option, given in (("protect", inputs, protect), ("fresh", "--fresh", fresh)):
            if given is not None:
                file = Path(folder) / f"{name}.npz"
                _arrays.save(file, _arrays.named(given, model.inputs, name))
                words += [option, file]
        report = _jobs.run_json(*words, progress=progress)
    edited = Edited(target, model.activation, module=model.module, owner=owner)
    edited.report = report
    return edited
