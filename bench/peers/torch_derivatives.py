"""Derivatives of networks by torch in float64, for bench/derivatives.

    python torch_derivatives.py OUT MODEL...

Each model is an ONNX file or a Hugging Face folder. In OUT every one gets a .npz with its input, directions and a cotangent, and what
torch computes with them for all trained parameters together: the product with the Jacobian, the product with its transpose, and
the gradient of the cotangent's product with the directional derivative, which is a second derivative. Numbers are those of
the file, widened to float64. Prints a JSON object a line.
"""
import json
import sys
from pathlib import Path

import numpy
import onnx
import torch
from onnx import numpy_helper
from torch.nn import functional

TOKENS = 8


def pads(node, given, rank):
    """Begin and end of each spatial axis, as torch's pad takes them: last axis first."""
    if given.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise NotImplementedError(f"{node.op_type} with auto_pad")
    begin = given.get("pads", [0] * 2 * rank)
    return [value for axis in reversed(range(rank)) for value in (begin[axis], begin[axis + rank])]


def convolution(node, given, x, weight, bias=None):
    rank = weight.dim() - 2
    run = (functional.conv1d, functional.conv2d, functional.conv3d)[rank - 1]
    padded = functional.pad(x, pads(node, given, rank))
    return run(padded, weight, bias, given.get("strides", 1), 0, given.get("dilations", 1), given.get("group", 1))


def largest(node, given, x):
    rank = x.dim() - 2
    run = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)[rank - 1]
    padded = functional.pad(x, pads(node, given, rank), value=-torch.inf)
    return run(padded, given["kernel_shape"], given.get("strides", 1), 0, given.get("dilations", 1))


def recurrent(node, given, x, weights, again, bias, start):
    """One direction of a GRU (gates z, r, h, reset after the product) or an LSTM (gates i, o, f, c), time first."""
    if given.get("direction", "forward") != "forward":
        raise NotImplementedError("another direction than forward")
    hidden = given["hidden_size"]
    inner, outer = bias[0].chunk(2)
    state = start[0][0] if start and start[0] is not None else x.new_zeros(x.shape[1], hidden)
    cell = start[1][0] if len(start) > 1 and start[1] is not None else x.new_zeros(x.shape[1], hidden)
    states = []
    for step in x:
        entering = step @ weights[0].T + inner
        if node.op_type == "GRU":
            if not given.get("linear_before_reset", 0):
                raise NotImplementedError("a GRU that resets before the product")
            update, reset, new = entering.chunk(3, -1)
            before = (state @ again[0].T + outer).chunk(3, -1)
            update, reset = torch.sigmoid(update + before[0]), torch.sigmoid(reset + before[1])
            state = (1 - update) * torch.tanh(new + reset * before[2]) + update * state
        else:
            entering, leaving, forget, new = (entering + state @ again[0].T + outer).chunk(4, -1)
            cell = torch.sigmoid(forget) * cell + torch.sigmoid(entering) * torch.tanh(new)
            state = torch.sigmoid(leaving) * torch.tanh(cell)
        states.append(state)
    return [torch.stack(states)[:, None], state[None], cell[None]][: len(node.output)]


def sliced(x, starts, ends, axes=None, steps=None):
    axes = list(range(len(starts))) if axes is None else axes.tolist()
    steps = [1] * len(axes) if steps is None else steps.tolist()
    where = [slice(None)] * x.dim()
    for axis, begin, end, step in zip(axes, starts.tolist(), ends.tolist(), steps):
        where[axis] = slice(begin, min(end, 2**31), step)
    return x[tuple(where)]


def normalized(given, x, scale, bias=None):
    return functional.layer_norm(x, x.shape[given.get("axis", -1) % x.dim() :], scale, bias, given.get("epsilon", 1e-5))


def averaged(given, x, axes=None):
    axes = given.get("axes") if axes is None else axes.tolist()
    return x.mean(list(range(x.dim())) if axes is None else axes, keepdim=bool(given.get("keepdims", 1)))


def reshaped(x, shape):
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape.tolist())])


def general(given, a, b, c=None):
    a = a.T if given.get("transA", 0) else a
    b = b.T if given.get("transB", 0) else b
    product = given.get("alpha", 1.0) * (a @ b)
    return product if c is None else product + given.get("beta", 1.0) * c


def batch_normalized(given, x, scale, bias, mean, variance):
    if given.get("training_mode", 0):
        raise NotImplementedError("batch norm in training")
    return functional.batch_norm(x, mean, variance, scale, bias, False, 0.0, given.get("epsilon", 1e-5))


OPERATORS = {
    "Add": lambda g, a, b: a + b,
    "Mul": lambda g, a, b: a * b,
    "Div": lambda g, a, b: a / b,
    "Pow": lambda g, a, b: a**b,
    "MatMul": lambda g, a, b: a @ b,
    "Gemm": general,
    "Relu": lambda g, x: torch.relu(x),
    "Tanh": lambda g, x: torch.tanh(x),
    "Sigmoid": lambda g, x: torch.sigmoid(x),
    "Gelu": lambda g, x: functional.gelu(x, approximate=g.get("approximate", "none")),
    "Softmax": lambda g, x: torch.softmax(x, g.get("axis", -1)),
    "LogSoftmax": lambda g, x: torch.log_softmax(x, g.get("axis", -1)),
    "LayerNormalization": normalized,
    "BatchNormalization": batch_normalized,
    "ReduceMean": averaged,
    "Transpose": lambda g, x: x.permute(g["perm"]),
    "Reshape": lambda g, x, shape: reshaped(x, shape),
    "Flatten": lambda g, x: x.reshape(int(numpy.prod(x.shape[: g.get("axis", 1)])), -1),
    "Unsqueeze": lambda g, x, axes: x[(...,) + (None,) * len(axes)].movedim(list(range(-len(axes), 0)), axes.tolist()),
    "Squeeze": lambda g, x, axes=None: x.squeeze() if axes is None else x.squeeze(axes.tolist()),
    "Concat": lambda g, *parts: torch.cat(parts, g["axis"]),
    "Slice": lambda g, *given: sliced(*given),
    "Expand": lambda g, x, shape: x.expand(torch.broadcast_shapes(x.shape, tuple(shape.tolist()))),
    "Shape": lambda g, x: torch.tensor(x.shape[g.get("start", 0) : g.get("end", None)]),
    "Identity": lambda g, x: x,
    "CastLike": lambda g, x, like: x.to(like.dtype),
    "Constant": lambda g: torch.as_tensor(next(iter(g.values()))),
}


def widened(tensor):
    array = torch.from_numpy(numpy_helper.to_array(tensor).copy())
    return array.double() if array.is_floating_point() else array


def attribute(given):
    value = onnx.helper.get_attribute_value(given)
    if given.type == onnx.AttributeProto.TENSOR:
        return widened(value)
    return value.decode() if isinstance(value, bytes) else value


class OnnxNetwork:
    """The function of an ONNX file: its trained parameters by name, and the first output as a function of them and the input."""

    def __init__(self, path):
        self.graph = onnx.load(path).graph
        tensors = {tensor.name: widened(tensor) for tensor in self.graph.initializer}
        buffers = {name for node in self.graph.node if node.op_type == "BatchNormalization" for name in node.input[3:5]}
        trained = {name for name, tensor in tensors.items() if tensor.is_floating_point() and name not in buffers}
        self.parameters = {name: tensor for name, tensor in tensors.items() if name in trained}
        self.others = {name: tensor for name, tensor in tensors.items() if name not in trained}
        given = [value for value in self.graph.input if value.name not in tensors]
        self.input = given[0].name
        self.shape = [size.dim_value or 2 for size in given[0].type.tensor_type.shape.dim]

    def draw(self, random):
        return {self.input: torch.from_numpy(random.standard_normal(self.shape))}

    def outputs(self, parameters, inputs):
        values = {"": None} | self.others | inputs | parameters
        for node in self.graph.node:
            given = {one.name: attribute(one) for one in node.attribute}
            arguments = [values[name] for name in node.input]
            if node.op_type == "Conv":
                results = convolution(node, given, *arguments)
            elif node.op_type == "MaxPool":
                results = largest(node, given, *arguments)
            elif node.op_type in ("GRU", "LSTM"):
                results = recurrent(node, given, *arguments[:4], arguments[5:])
            else:
                results = OPERATORS[node.op_type](given, *arguments)
            values.update(zip(node.output, results if isinstance(results, list) else [results]))
        return values[self.graph.output[0].name]


class TransformersModel:
    """The function of a Hugging Face folder, every step in float64."""

    def __init__(self, path):
        from safetensors import safe_open
        from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

        from transformers_configurations import widened

        config = AutoConfig.from_pretrained(path)
        kind = AutoModel if config.model_type == "bert" else AutoModelForCausalLM
        self.model = widened(kind.from_pretrained(path, dtype=torch.float32, attn_implementation="eager").eval())
        self.model.config._attn_implementation = "eager"
        for module in self.model.modules():
            if isinstance(module, torch.nn.Embedding):
                module.padding_idx = None  # which would leave out the gradient of a row
        with safe_open(Path(path) / "model.safetensors", "pt") as file:
            stored = set(file.keys())
        own = dict(self.model.named_parameters())
        self.parameters = {name: own[name].detach() for name in own if name in stored}

    def draw(self, random):
        return {"input_ids": torch.from_numpy(random.integers(0, self.model.config.vocab_size, (2, TOKENS)))}

    def outputs(self, parameters, inputs):
        from transformers_configurations import Float64Throughout

        options = {} if self.model.config.model_type == "bert" else {"use_cache": False}
        with Float64Throughout():
            return torch.func.functional_call(self.model, parameters, (), inputs | options)[0]


def derivatives(network, seed):
    """Input, directions, cotangent, and what torch makes of them."""
    random = numpy.random.default_rng(seed)
    inputs = network.draw(random)
    directions = {name: torch.from_numpy(random.standard_normal(tuple(t.shape))) for name, t in network.parameters.items()}
    function = lambda parameters: network.outputs(parameters, inputs)
    output = function(network.parameters)
    cotangent = torch.from_numpy(random.standard_normal(tuple(output.shape)))
    leaves = {name: tensor.clone().requires_grad_(True) for name, tensor in network.parameters.items()}

    def back(toward):
        rows = torch.autograd.grad(function(leaves), list(leaves.values()), toward, create_graph=True, allow_unused=True)
        return {name: row for name, row in zip(leaves, rows) if row is not None}

    # the product with the transpose is linear in its cotangent: the derivative by that is the product with the Jacobian
    probe = torch.zeros_like(output, requires_grad=True)
    forward = torch.autograd.grad(sum((row * directions[name]).sum() for name, row in back(probe).items()), probe)[0]
    transposed = back(cotangent)
    pairing = sum((row * directions[name]).sum() for name, row in transposed.items())
    second = torch.autograd.grad(pairing, list(leaves.values()), allow_unused=True)
    arrays = {f"input.{name}": value.numpy() for name, value in inputs.items()}
    arrays |= {"output": output.detach().numpy(), "cotangent": cotangent.numpy(), "product": forward.detach().numpy()}
    for name, of_second in zip(leaves, second):
        zero = torch.zeros_like(leaves[name])
        arrays[f"direction.{name}"] = directions[name].numpy()
        arrays[f"transposed.{name}"] = transposed.get(name, zero).detach().numpy()
        arrays[f"second.{name}"] = (zero if of_second is None else of_second).detach().numpy()
    return arrays


def main():
    import transformers

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    out = Path(sys.argv[1])
    for number, path in enumerate(sys.argv[2:]):
        made = TransformersModel(path) if Path(path).is_dir() else OnnxNetwork(path)
        arrays = derivatives(made, number)
        numpy.savez(out / f"{number}.npz", **arrays)
        print(json.dumps({"model": path, "arrays": str(out / f"{number}.npz"), "parameters": list(made.parameters)}))


if __name__ == "__main__":
    main()
