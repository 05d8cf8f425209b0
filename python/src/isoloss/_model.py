"""A network that isoloss has read."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isoloss import _arrays
from isoloss._arrays import FloatArray, Inputs
from isoloss._runtime import call, java
from isoloss.errors import InputError


class Model:
    """
    A stored network: named parameters, inputs and outputs. Made by `read`, `from_torch` and `from_jax`.

    Attributes
    ----------
    path : pathlib.Path
        The file or folder.
    activation : str or None
        Between dense layers, where the file does not name it.
    shapes : dict of str to tuple of int
        The shape of every parameter, by name; what ``moving`` chooses from.
    inputs, outputs : tuple of str
        Their names.
    """

    path: Path
    activation: str | None
    shapes: dict[str, tuple[int, ...]]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __init__(self, path: Path, activation: str | None = None, *, module: Any = None, owner: object = None) -> None:
        self.path = path.absolute()
        self.activation = activation
        self.module = module
        self._owner = owner
        opened = call(java("OpenedModel").open, str(self.path), activation)
        try:
            self.shapes = {str(name): _arrays.sizes(opened.shape(name)) for name in opened.parameters()}
            self.inputs = tuple(str(name) for name in opened.inputs())
            self.outputs = tuple(str(name) for name in opened.outputs())
        finally:
            opened.close()

    @property
    def has_graph(self) -> bool:
        """Whether the file says itself how the outputs are computed; False for tensors of dense layers."""
        return self.path.suffix.lower() in (".onnx", ".gguf") or self.path.is_dir()

    @property
    def layer_options(self) -> list[str]:
        """What a command must be told that the file does not say."""
        return [] if self.has_graph or self.activation is None else ["--activation", self.activation]

    @property
    def is_temporary(self) -> bool:
        """Whether the file goes with this object, as that of an exported module does."""
        return self._owner is not None

    @property
    def parameter_count(self) -> int:
        """The number of all parameters."""
        return sum(math.prod(shape) for shape in self.shapes.values())

    def state_dict(self) -> dict[str, FloatArray]:
        """Return every parameter as a float64 array, by name."""
        opened = call(java("OpenedModel").open, str(self.path), self.activation)
        try:
            return {name: _arrays.from_java(opened.numbers(name), shape) for name, shape in self.shapes.items()}
        finally:
            opened.close()

    def __call__(
        self, x: Inputs, weights: Mapping[str, npt.ArrayLike] | None = None
    ) -> FloatArray | dict[str, FloatArray]:
        """
        Compute the outputs in float64.

        Parameters
        ----------
        x
            One input a row, shape (n, ...), or a dict by the names of inputs.
        weights
            Parameters in place of those of the file, by name, such as ``found.tensors(t)``.

        Returns
        -------
        ndarray or dict of str to ndarray
            The output, or all by name where there are several.
        """
        given = self._tensors(weights or {})
        with _arrays.scratch() as folder:
            file = Path(folder) / "inputs.npz"
            _arrays.save(file, _arrays.named(x, self.inputs))
            opened = call(java("OpenedModel").open, str(self.path), self.activation, str(file))
            try:
                parts = [call(opened.run, given, batch) for batch in range(int(opened.batchCount()))]
                results = {
                    name: np.concatenate(
                        [_arrays.from_java(part[name], _arrays.sizes(opened.outputShape(name))) for part in parts]
                    )
                    if len(parts) > 1
                    else _arrays.from_java(parts[0][name], _arrays.sizes(opened.outputShape(name)))
                    for name in self.outputs
                }
            finally:
                opened.close()
        return results[self.outputs[0]] if len(results) == 1 else results

    def _tensors(self, weights: Mapping[str, npt.ArrayLike]) -> Any:
        import jpype

        java("OpenedModel")
        given = jpype.JClass("java.util.LinkedHashMap")()
        for name, array in weights.items():
            if name not in self.shapes:
                raise InputError(f"weights: the model has no parameter '{name}'; it has {', '.join(self.shapes)}")
            numbers = _arrays.to_numpy(array, f"weights['{name}']")
            if numbers.shape != self.shapes[name]:
                raise InputError(f"weights: '{name}' has shape {numbers.shape}, expected {self.shapes[name]}")
            given.put(name, _arrays.to_java(numbers))
        return given

    def tokens(self, text: str) -> npt.NDArray[np.int64]:
        """
        Split a text into tokens, for a transformer with its tokenizer.

        Returns
        -------
        ndarray
            Ids, shape (1, length).
        """
        return np.array(call(java("OpenedModel").tokens, str(self.path), text), dtype=np.int64)[np.newaxis]

    def __repr__(self) -> str:
        return (
            f"isoloss.Model({self.path.name}: {self.parameter_count:,} parameters in {len(self.shapes)} tensors, "
            f"{', '.join(self.inputs)} -> {', '.join(self.outputs)})"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{' × '.join(map(str, shape))}</td></tr>"
            for name, shape in self.shapes.items()
        )
        return (
            f"<p>{html.escape(repr(self))}</p>"
            f"<table><thead><tr><th>Parameter</th><th>Shape</th></tr></thead><tbody>{rows}</tbody></table>"
        )


def read(path: str | os.PathLike[str], *, activation: str | None = None) -> Model:
    """
    Open a network from a file.

    Parameters
    ----------
    path
        An ONNX file, a folder of Hugging Face, a GGUF file, or safetensors or npz with the tensors of dense layers.
    activation
        Between dense layers, where the file names none: relu, tanh, gelu and others.

    Returns
    -------
    Model
        Its numbers stay in the file.

    Raises
    ------
    IsolossError
        Where the file is missing, or something in it is not understood, by name.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise not_a_model(path)
    return Model(Path(path), activation)


def as_model(value: Any, activation: str | None = None) -> Model:
    """Take a model, or the path of one."""
    if isinstance(value, Model):
        return value
    if isinstance(value, (str, os.PathLike)):
        return read(value, activation=activation)
    raise not_a_model(value)


def not_a_model(value: Any) -> InputError:
    """Say what a model is."""
    hint = ""
    if hasattr(value, "state_dict") and hasattr(value, "forward"):
        hint = "; a torch module becomes one by isoloss.from_torch(module, example)"
    elif callable(value):
        hint = "; a function of JAX becomes one by isoloss.from_jax(function, params, example)"
    return InputError(
        f"{_arrays.type_name(value)} is not a model: expected an isoloss.Model, or the path of an ONNX file, "
        f"a folder of Hugging Face, GGUF, safetensors or npz{hint}"
    )
