"""Modules of PyTorch: read by way of ONNX, written back as state dicts."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from isoloss import _arrays
from isoloss._arrays import FloatArray
from isoloss._model import Model
from isoloss.errors import InputError, IsolossError

_WIDE = ("torch.float32", "torch.float64")


def from_torch(module: Any, example: Any, *, dynamic: bool = True) -> Model:
    """
    Read a module of PyTorch, by exporting it to ONNX.

    Parameters
    ----------
    module : torch.nn.Module
        On the processor, of float32 or float64. It is exported as in ``module.eval()``, and is not changed.
    example : torch.Tensor or tuple of torch.Tensor
        Inputs of the shapes that it takes, one a row.
    dynamic
        Whether the number of rows is left open; False where the module needs it fixed.

    Returns
    -------
    Model
        Its parameters have the names of the module's state dict.

    Raises
    ------
    IsolossError
        Where torch cannot export the module, or isoloss does not know an operator of it.
    """
    torch = _torch()
    if not isinstance(module, torch.nn.Module):
        raise InputError(f"{_arrays.type_name(module)} is not a torch.nn.Module; give a module")
    for name, tensor in module.state_dict().items():
        _require(name, tensor, "module.cpu()", "module.float()")
    inputs = example if isinstance(example, tuple) else (example,)
    for i, tensor in enumerate(inputs):
        if not isinstance(tensor, torch.Tensor):
            raise InputError(f"example {i} is a {type(tensor).__name__}, expected a torch.Tensor or a tuple of them")
        _require(f"example {i}", tensor, "example.cpu()", "example.float()")
    owner = _arrays.scratch()
    file = Path(owner.name) / "model.onnx"
    was_training = {part: part.training for part in module.modules()}
    module.eval()
    try:
        _export(torch, module, inputs, file, dynamic)
    finally:
        for part, training in was_training.items():
            part.training = training
    return Model(file, module=module, owner=owner)


def _export(torch: Any, module: Any, inputs: tuple[Any, ...], file: Path, dynamic: bool) -> None:
    shapes = tuple({0: torch.export.Dim("batch")} if tensor.dim() > 0 else None for tensor in inputs)
    noise = io.StringIO()
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), redirect_stdout(noise), redirect_stderr(noise):
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                inputs,
                str(file),
                dynamo=True,
                external_data=False,
                optimize=False,
                verbose=False,
                dynamic_shapes=shapes if dynamic else None,
            )
    except ModuleNotFoundError as failure:
        raise InputError(
            f"{failure.name} is not installed, and torch needs it to export; pip install 'isoloss[torch]'"
        ) from None
    except Exception as failure:
        raise IsolossError(
            f"torch cannot export {type(module).__name__}: {_reason(failure)}; "
            f"{'try dynamic=False, or ' if dynamic else ''}export it with torch.onnx.export and read the file"
        ) from None
    finally:
        logging.disable(before)


def _reason(failure: BaseException) -> str:
    """Return the innermost reason of an exporter as one line."""
    while failure.__cause__ is not None:
        failure = failure.__cause__
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    line = lines[0] if lines else type(failure).__name__
    return line if len(line) <= 300 else line[:297] + "..."


def _require(name: str, tensor: Any, to_cpu: str, to_float: str) -> None:
    if tensor.device.type != "cpu":
        raise InputError(f"{name} is on {tensor.device}; give {to_cpu}")
    if tensor.is_floating_point() and str(tensor.dtype) not in _WIDE:
        raise InputError(f"{name} is of {tensor.dtype}, expected float32 or float64; give {to_float}")


def state_dict(model: Model | None, tensors: Mapping[str, FloatArray]) -> dict[str, Any]:
    """Return moved tensors as those of torch: within the whole state of the module, where there is one."""
    torch = _torch()
    module = None if model is None else model.module
    if module is None:
        return {name: torch.from_numpy(array.astype(np.float32)) for name, array in tensors.items()}
    state = {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}
    for name, array in tensors.items():
        if name not in state:
            raise InputError(f"the module has no '{name}' in its state; found.tensors(t) has it as numpy")
        old = state[name]
        if tuple(old.shape) != array.shape:
            raise InputError(f"'{name}' has shape {tuple(old.shape)} in the module, and {array.shape} in the model")
        state[name] = torch.from_numpy(array).to(dtype=old.dtype, device=old.device)
    return state


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise InputError(
            "torch is not installed; pip install 'isoloss[torch]', or use found.tensors(t), which gives numpy arrays"
        ) from None
    return torch
