"""Functions of JAX: read by way of ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isoloss import _arrays
from isoloss._model import Model
from isoloss.errors import InputError, IsolossError


def from_jax(function: Any, params: Any, example: Any) -> Model:
    """
    Read a function of JAX, by exporting it to ONNX with jax2onnx.

    Parameters
    ----------
    function
        Called as ``function(params, x)``.
    params : pytree of arrays
        Its parameters; these become the parameters of the model, named by their path, such as ``layers.0.w``.
    example : array
        An input of the shape that it takes, shape (n, ...).

    Returns
    -------
    Model
        For batches of any size n.

    Raises
    ------
    IsolossError
        Where jax2onnx cannot export the function, or isoloss does not know an operator of it.
    """
    try:
        import jax
        import onnx
        from jax2onnx import to_onnx
    except ImportError as failure:
        raise InputError(f"{failure.name} is not installed; pip install 'isoloss[jax]'") from None
    if not callable(function):
        raise InputError(f"{_arrays.type_name(function)} is not a function; give function(params, x)")
    leaves, tree = jax.tree_util.tree_flatten_with_path(params)
    names = [_name(path) for path, _ in leaves]
    arrays = [_arrays.to_numpy(leaf, f"params {name}") for name, (_, leaf) in zip(names, leaves, strict=True)]
    x = _arrays.to_numpy(example, "example")
    if x.ndim == 0:
        raise InputError("example is one number, expected shape (n, ...)")

    def flat(x: Any, *leaves: Any) -> Any:
        return function(jax.tree_util.tree_unflatten(tree, leaves), x)

    specs = [
        ("B", *x.shape[1:]),
        *(array.shape for array in arrays),
    ]
    try:
        exported = to_onnx(flat, specs, model_name="model")
    except Exception as failure:
        line = " ".join(str(failure).split())[:300] or type(failure).__name__
        raise IsolossError(
            f"jax2onnx cannot export the function: {line}; export it in another way and read the ONNX file"
        ) from None
    inputs = list(exported.graph.input)
    if len(inputs) != 1 + len(arrays):
        raise IsolossError("jax2onnx left a parameter out that the function does not use; leave it out of params")
    renamed = {given.name: name for given, name in zip(inputs[1:], names, strict=True)}
    for node in exported.graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = renamed.get(name, name)
    constants = [onnx.helper.make_node("Constant", [], [one.name], value=one) for one in exported.graph.initializer]
    del exported.graph.initializer[:]  # what is not of params is no parameter
    for i, node in enumerate(constants):
        exported.graph.node.insert(i, node)
    for given, name, array in zip(inputs[1:], names, arrays, strict=True):
        exported.graph.input.remove(given)
        exported.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    owner = _arrays.scratch()
    file = Path(owner.name) / "model.onnx"
    onnx.save(exported, str(file))
    return Model(file, owner=owner)


def _name(path: tuple[Any, ...]) -> str:
    keys = [next(getattr(key, kind) for kind in ("key", "idx", "name") if hasattr(key, kind)) for key in path]
    return ".".join(str(key) for key in keys) or "params"
