"""Runs: what a discovery learned, as it lies in a folder."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from isoloss import _arrays, _jobs
from isoloss._arrays import FloatArray
from isoloss._model import Model
from isoloss._runtime import call, java
from isoloss.errors import InputError, IsolossError

if TYPE_CHECKING:
    from isoloss._evaluation import Evaluation


class Run:
    """
    A finished run: a learned action of a group on the moving weights of a network.

    Parameters
    ----------
    folder
        What ``isoloss discover`` or `discover` left: the folder of one run, or of several seeds.
    seed
        Which of several.
    model
        The network, for `state_dict`.

    Attributes
    ----------
    folder : pathlib.Path
        The folder of this run.
    parameter_count : int
        p, the number of moving weights.
    generators : ndarray, shape (r, s, s)
        The generators h of the group.

    Examples
    --------
    >>> found = isoloss.Run("runs/digits")  # doctest: +SKIP
    >>> found.theta(0.5).shape  # doctest: +SKIP
    (40,)
    """

    folder: Path
    parameter_count: int
    generators: FloatArray

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        seed: int | None = None,
        model: Model | None = None,
        owner: object = None,
    ) -> None:
        chosen = Path(folder).absolute()
        if seed is not None and (chosen / f"seed-{seed}").is_dir():
            chosen = chosen / f"seed-{seed}"
        self._java = call(java("OpenedRun").open, str(chosen))
        self._owner = owner
        self.model = model
        self.folder = Path(str(self._java.folder()))
        self.parameter_count = int(self._java.parameterCount())
        size = int(self._java.groupSize())
        self.generators = np.stack(
            [_arrays.from_java(self._java.generator(i), (size, size)) for i in range(int(self._java.generatorCount()))]
        )
        self._origin: FloatArray | None = None
        self._evaluation: Evaluation | None = None

    @property
    def origin(self) -> FloatArray:
        """The network's own moving weights, theta_0, shape (p,)."""
        if self._origin is None:
            self._origin = _arrays.from_java(call(self._java.origin), (self.parameter_count,))
        copy: FloatArray = self._origin.copy()
        return copy

    @property
    def seed(self) -> int:
        """The seed of the fit."""
        first = (self.folder / "task.yaml").read_text(encoding="utf-8").splitlines()[0]
        found = re.search(r"seed (-?\d+)$", first)
        if found is None:
            raise IsolossError(f"{self.folder / 'task.yaml'} does not begin with a format and a seed")
        return int(found.group(1))

    def element(self, t: npt.ArrayLike, generator: int = 0) -> FloatArray:
        """
        Return group elements exp(t h).

        Parameters
        ----------
        t : array_like of any shape
            Coefficients.
        generator
            Which h, from 0.

        Returns
        -------
        ndarray, shape t.shape + (s, s)
        """
        count = len(self.generators)
        if not 0 <= generator < count:
            raise InputError(f"generator {generator} does not exist; the group has {count}, counted from 0")
        coefficients = _finite(t, "t")
        matrices = coefficients[..., np.newaxis, np.newaxis] * self.generators[generator]
        return _arrays.from_java(call(self._java.exponentials, _arrays.to_java(matrices)), matrices.shape)

    def theta(self, t: npt.ArrayLike, generator: int = 0) -> FloatArray:
        """
        Return the weights along the action, a(exp(t h), theta_0).

        Parameters
        ----------
        t : array_like of any shape
            Coefficients; 0 is the network as it is. Training covers abs(t) up to 0.5, unless the recipe says otherwise.
        generator
            Which h, from 0.

        Returns
        -------
        ndarray of float64, shape t.shape + (p,)
        """
        return self.action(self.element(t, generator), self.origin)

    def action(self, g: npt.ArrayLike, theta: npt.ArrayLike) -> FloatArray:
        """
        Return a(g, theta).

        Parameters
        ----------
        g : array_like, shape (..., s, s)
            Group elements.
        theta : array_like, shape (..., p)
            Weights; what is in front of the last axes is broadcast.

        Returns
        -------
        ndarray of float64, shape (..., p)
        """
        return self._map(self._java.apply, g, theta, "g")

    def field(self, theta: npt.ArrayLike, direction: npt.ArrayLike | int = 0) -> FloatArray:
        """
        Return the induced field v_h(theta), the derivative of a(exp(t h), theta) at t = 0.

        Parameters
        ----------
        theta : array_like, shape (..., p)
            Weights.
        direction : int or array_like of shape (..., s, s)
            The number of a generator, from 0, or h itself.

        Returns
        -------
        ndarray of float64, shape (..., p)
        """
        if isinstance(direction, (int, np.integer)):
            self.element(0.0, int(direction))
            direction = self.generators[direction]
        return self._map(self._java.field, direction, theta, "direction")

    def _map(self, function: Any, matrices: npt.ArrayLike, theta: npt.ArrayLike, name: str) -> FloatArray:
        size, count = self.generators.shape[-1], self.parameter_count
        elements, points = _finite(matrices, name), _finite(theta, "theta")
        if elements.shape[-2:] != (size, size):
            raise InputError(f"{name} has shape {elements.shape}, expected (..., {size}, {size})")
        if points.shape[-1:] != (count,):
            raise InputError(f"theta has shape {points.shape}, expected (..., {count}), the moving weights")
        try:
            batch = np.broadcast_shapes(elements.shape[:-2], points.shape[:-1])
        except ValueError:
            raise InputError(f"{name} of shape {elements.shape} and theta of {points.shape} do not broadcast") from None
        elements = np.broadcast_to(elements, (*batch, size, size))
        points = np.broadcast_to(points, (*batch, count))
        moved = call(function, _arrays.to_java(elements), _arrays.to_java(points))
        return _arrays.from_java(moved, (*batch, count))

    def tensors(self, t: float | None = None, *, theta: npt.ArrayLike | None = None) -> dict[str, FloatArray]:
        """
        Return the tensors that hold moving weights, whole, under their names in the network's file.

        Parameters
        ----------
        t
            Along the first generator.
        theta : array_like, shape (p,)
            Weights, in place of t.

        Returns
        -------
        dict of str to ndarray of float64
        """
        if (t is None) == (theta is None):
            raise InputError("tensors takes either t or theta")
        point = _finite(theta, "theta") if theta is not None else self.theta(0.0 if t is None else t)
        if point.shape != (self.parameter_count,):
            raise InputError(f"one point is expected, shape ({self.parameter_count},), got {point.shape}")
        found = call(self._java.tensors, _arrays.to_java(point))
        return {
            str(name): _arrays.from_java(found[name], _arrays.sizes(call(self._java.shape, name)))
            for name in found.keySet()
        }

    def state_dict(self, t: float | None = None, *, theta: npt.ArrayLike | None = None) -> dict[str, Any]:
        """
        Return a state dict of torch with moved weights, for ``module.load_state_dict``.

        Parameters
        ----------
        t
            Along the first generator.
        theta : array_like, shape (p,)
            Weights, in place of t.

        Returns
        -------
        dict of str to torch.Tensor
            Of a model made by `from_torch` the whole state of the module in its types, on its device; otherwise the
            tensors that hold moving weights, float32.
        """
        from isoloss._torch import state_dict

        return state_dict(self.model, self.tensors(t, theta=theta))

    @property
    def evaluation(self) -> Evaluation:
        """How exact the action is; evaluates where nobody has yet."""
        if self._evaluation is None:
            if not (self.folder / "evaluation.json").exists():
                return self.evaluate()
            self._evaluation = _evaluation(self.folder)
        return self._evaluation

    def evaluate(self, *, declared: bool = True, bounds: bool = False, progress: bool = True) -> Evaluation:
        """
        Test outputs, group law, inverses, curves and other inputs.

        Parameters
        ----------
        declared
            Only the cells by which tolerances judge: radius 0.5, one and two factors.
        bounds
            Also estimate bounds from the residuals along the paths.
        progress
            Whether to draw a bar.
        """
        options = [*(["--declared"] if declared else []), *(["--bounds"] if bounds else [])]
        _jobs.run("evaluate", self.folder, *options, "--quiet", progress=progress)
        self._evaluation = _evaluation(self.folder)
        return self._evaluation

    def apply(self, t: float, out: str | os.PathLike[str]) -> dict[str, Any]:
        """
        Write the network's file with moved weights, and measure what the outputs do after rounding.

        Parameters
        ----------
        t
            Along the first generator.
        out
            The new file, of the same format.

        Returns
        -------
        dict
            The numbers of ``isoloss apply --format json``.
        """
        return _jobs.run_json("apply", self.folder, "--t", repr(float(t)), "--out", Path(out))

    @property
    def metrics(self) -> Any:
        """The losses of the training, a pandas DataFrame with one row for every fifty steps."""
        import pandas as pd

        lines = (self.folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return pd.DataFrame([json.loads(line) for line in lines]).set_index("step")

    def __repr__(self) -> str:
        count, size, _ = self.generators.shape
        return (
            f"isoloss.Run({self.folder.name}: {self.parameter_count} moving weights, "
            f"{count} generator{'s' if count > 1 else ''} of size {size} x {size}, seed {self.seed})"
        )

    def _repr_html_(self) -> str:
        from isoloss._drawing import run_html

        is_evaluated = self._evaluation is not None or (self.folder / "evaluation.json").exists()
        drawn: str = run_html(self) if is_evaluated else ""
        return f"<p>{html.escape(repr(self))}</p>{drawn}"


def _evaluation(folder: Path) -> Evaluation:
    from isoloss._evaluation import Evaluation  # pandas takes half a second

    return Evaluation.read(folder)


def _finite(value: npt.ArrayLike, name: str) -> FloatArray:
    array = np.asarray(_arrays.to_numpy(value, name), dtype=np.float64)
    if not np.isfinite(array).all():
        raise InputError(f"{name} has entries that are infinite or NaN")
    return array
