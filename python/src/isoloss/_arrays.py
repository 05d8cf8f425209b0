"""Arrays of any of the usual libraries as numpy arrays, and as files that Java reads."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import jpype
import numpy as np
import numpy.typing as npt

from isoloss.errors import InputError, IsolossError

FloatArray: TypeAlias = npt.NDArray[np.float64]
Inputs: TypeAlias = Any
"""One array for a model with one input, or a mapping from the names of inputs to arrays."""


def to_numpy(value: Any, name: str) -> npt.NDArray[Any]:
    """
    Take an array, a tensor of torch or JAX on the processor, a data frame or nested lists.

    Parameters
    ----------
    value
        Of float16, float32, float64, integers or booleans.
    name
        What it is, for messages.

    Returns
    -------
    ndarray
        A view where that is possible; float32 for float16.
    """
    if type(value).__module__.partition(".")[0] == "torch":
        return _from_torch(value, name)
    if type(value).__module__.partition(".")[0] in ("jax", "jaxlib") and str(value.dtype) == "bfloat16":
        raise InputError(f"{name} is of bfloat16, which numpy does not have; give {name}.astype('float32')")
    try:
        array = np.asarray(value)
    except Exception as failure:
        raise InputError(
            f"{name} is of type {type_name(value)}, expected an array of numbers ({' '.join(str(failure).split())})"
        ) from None
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise InputError(
            f"{name} is of type {type_name(value)} with entries of type {array.dtype}, "
            "expected float32, float64 or integers"
        )
    return array


def _from_torch(tensor: Any, name: str) -> npt.NDArray[Any]:
    if not hasattr(tensor, "detach"):
        raise InputError(f"{name} is of type {type_name(tensor)}, expected a tensor")
    if tensor.device.type != "cpu":
        raise InputError(f"{name} is on {tensor.device}; give {name}.cpu()")
    if str(tensor.dtype) == "torch.bfloat16":
        raise InputError(f"{name} is of torch.bfloat16, which numpy does not have; give {name}.float()")
    return to_numpy(tensor.detach().resolve_conj().resolve_neg().numpy(), name)


def type_name(value: Any) -> str:
    """Return the name of a value's type, for messages."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def named(inputs: Inputs, names: Sequence[str], what: str = "x") -> dict[str, npt.NDArray[Any]]:
    """
    Give arrays the names of a model's inputs.

    Parameters
    ----------
    inputs
        One array for a model with one required input, or a mapping by name.
    names
        The inputs that the model needs.
    what
        The argument, for messages.
    """
    if isinstance(inputs, Mapping):
        if len(inputs) == len(names) == 1 and next(iter(inputs)) != names[0]:
            raise InputError(f"{what} names the input '{next(iter(inputs))}', and the model has '{names[0]}'")
        return {str(name): to_numpy(array, f"{what}['{name}']") for name, array in inputs.items()}
    if len(names) != 1:
        raise InputError(f"{what} is one array, and the model has the inputs {', '.join(names)}; give a dict by name")
    array = to_numpy(inputs, what)
    if array.ndim == 0 or array.shape[0] == 0:
        raise InputError(f"{what} has shape {array.shape}, expected one input a row")
    if array.ndim == 1 and names[0] == "input_ids":
        array = array[np.newaxis]
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InputError(f"{what} has entries that are infinite or NaN")
    return {names[0]: array}


def save(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write an npz file whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            np.savez(file, **dict[str, Any](arrays))
        part.replace(path)
    except OSError as failure:
        part.unlink(missing_ok=True)
        raise IsolossError(f"{path} cannot be written: {failure.strerror or failure}") from None


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Make a folder that goes when nobody holds it."""
    try:
        return tempfile.TemporaryDirectory(prefix="isoloss-", ignore_cleanup_errors=True)
    except OSError as failure:
        raise IsolossError(
            f"no temporary folder can be made in {tempfile.gettempdir()}: {failure.strerror or failure}; "
            "make room, or set TMPDIR"
        ) from None


def to_java(array: npt.NDArray[Any]) -> Any:
    """Return a float64 array of Java: one block copy."""
    return jpype.JArray(jpype.JDouble)(np.ascontiguousarray(array, dtype=np.float64).ravel())


def from_java(array: Any, shape: Sequence[int]) -> FloatArray:
    """Return a numpy array of a Java array: one block copy."""
    numbers: FloatArray = np.array(array, dtype=np.float64, copy=True)
    if numbers.size != math.prod(shape):
        raise IsolossError(f"Java gave {numbers.size} numbers, expected shape {tuple(shape)}")
    return numbers.reshape(shape)


def sizes(array: Any) -> tuple[int, ...]:
    """Return a Java array of integers as a shape."""
    return tuple(int(size) for size in array)
