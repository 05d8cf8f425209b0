"""Trains the four small networks of this folder on the digits beside it and writes each as ONNX and as safetensors.

Needs torch, onnx, numpy and safetensors; the same versions give the same files. Images are 8 by 8, divided by 16; rows 0 to 1346 of
digits.csv.gz train, 1347 to 1796 test.
"""

import pathlib

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file
from torch import nn
from torch.nn import functional as F

HERE = pathlib.Path(__file__).parent
TABLE = np.loadtxt(HERE.parent / "digits" / "digits.csv.gz", delimiter=",", dtype=np.float32)
IMAGES, LABELS = TABLE[:, :64] / 16, TABLE[:, 64].astype(np.int64)
TRAIN = 1347


class Convolutional(nn.Module):
    """Two convolutions with ReLU and pooling, and a head."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, padding=1)
        self.conv2 = nn.Conv2d(6, 8, 3, padding=1)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x.reshape(-1, 1, 8, 8))), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.head(x.flatten(1))


class Residual(nn.Module):
    """A stream of 16 numbers to which a GELU block behind a layer norm and a tanh block add."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(64, 16)
        self.norm = nn.LayerNorm(16)
        self.up1, self.down1 = nn.Linear(16, 12), nn.Linear(12, 16)
        self.up2, self.down2 = nn.Linear(16, 12), nn.Linear(12, 16)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.embed(x)
        x = x + self.down1(F.gelu(self.up1(self.norm(x))))
        x = x + self.down2(torch.tanh(self.up2(x)))
        return self.head(x)


class Recurrent(nn.Module):
    """A GRU over the eight rows of an image, and a head on its last state."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(8, 12, batch_first=True)
        self.head = nn.Linear(12, 10)

    def forward(self, x):
        return self.head(self.gru(x.reshape(-1, 8, 8))[0][:, -1])


class Attention(nn.Module):
    """One attention block over the eight rows of an image, with positions, a layer norm, the mean over rows and a head."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(8, 12)
        self.positions = nn.Parameter(0.1 * torch.randn(8, 12))
        self.norm = nn.LayerNorm(12)
        self.query, self.key, self.value = (nn.Linear(12, 12, bias=False) for _ in range(3))
        self.out = nn.Linear(12, 12)
        self.head = nn.Linear(12, 10)

    def forward(self, x):
        x = self.embed(x.reshape(-1, 8, 8)) + self.positions
        y = self.norm(x)
        scores = self.query(y) @ self.key(y).transpose(1, 2) / 12**0.5
        x = x + self.out(scores.softmax(-1) @ self.value(y))
        return self.head(F.relu(x).mean(1))


def trained(network):
    x, y = torch.tensor(IMAGES[:TRAIN]), torch.tensor(LABELS[:TRAIN])
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-2, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 1500)
    for _ in range(1500):
        rows = torch.randint(TRAIN, (128,))
        optimizer.zero_grad()
        F.cross_entropy(network(x[rows]), y[rows]).backward()
        optimizer.step()
        schedule.step()
    network.eval()
    with torch.no_grad():
        right = (network(torch.tensor(IMAGES[TRAIN:])).argmax(1).numpy() == LABELS[TRAIN:]).mean()
    print(f"{type(network).__name__}: {right:.3f} of the test images right")
    return network


class Graph:
    """An ONNX graph whose parameters keep the names that they have in PyTorch."""

    def __init__(self, network):
        self.nodes, self.initializers = [], []
        for name, value in network.state_dict().items():
            self.initializers.append(numpy_helper.from_array(value.numpy(), name))

    def add(self, kind, *inputs, **attributes):
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=f"{kind}_{len(self.nodes)}", **attributes))
        return output

    def constant(self, name, values):
        self.initializers.append(numpy_helper.from_array(np.asarray(values, dtype=np.int64), name))
        return name

    def linear(self, x, name, bias=True):
        weight = self.add("Transpose", f"{name}.weight", perm=[1, 0])
        product = self.add("MatMul", x, weight)
        return self.add("Add", product, f"{name}.bias") if bias else product

    def write(self, name, output, network):
        self.nodes.append(helper.make_node("Identity", [output], ["logits"], name="logits"))
        graph = helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info("images", TensorProto.FLOAT, ["batch", 64])],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 10])],
            self.initializers,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, HERE / f"{name}.onnx")
        save_file({k: v.numpy() for k, v in network.state_dict().items()}, HERE / f"{name}.safetensors")


def convolutional():
    network = trained(Convolutional())
    graph = Graph(network)
    x = graph.add("Reshape", "images", graph.constant("image", [-1, 1, 8, 8]))
    for layer in ("conv1", "conv2"):
        x = graph.add("Conv", x, f"{layer}.weight", f"{layer}.bias", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        x = graph.add("MaxPool", graph.add("Relu", x), kernel_shape=[2, 2], strides=[2, 2])
    graph.write("convolutional", graph.linear(graph.add("Flatten", x), "head"), network)


def residual():
    network = trained(Residual())
    graph = Graph(network)
    x = graph.linear("images", "embed")
    y = graph.add("LayerNormalization", x, "norm.weight", "norm.bias", epsilon=1e-5)
    x = graph.add("Add", x, graph.linear(graph.add("Gelu", graph.linear(y, "up1")), "down1"))
    x = graph.add("Add", x, graph.linear(graph.add("Tanh", graph.linear(x, "up2")), "down2"))
    graph.write("residual", graph.linear(x, "head"), network)


def recurrent():
    """PyTorch's gates are reset, update, new; those of ONNX are update, reset, hidden."""
    network = trained(Recurrent())
    for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
        reset, update, new = getattr(network.gru, name).data.chunk(3)
        getattr(network.gru, name).data = torch.cat([update, reset, new])
    graph = Graph(network)
    x = graph.add("Reshape", "images", graph.constant("rows", [-1, 8, 8]))
    x = graph.add("Transpose", x, perm=[1, 0, 2])
    first = graph.constant("first", [0])
    weight, recurrence = (graph.add("Unsqueeze", f"gru.{name}", first) for name in ("weight_ih_l0", "weight_hh_l0"))
    biases = graph.add("Concat", "gru.bias_ih_l0", "gru.bias_hh_l0", axis=0)
    biases = graph.add("Unsqueeze", biases, first)
    node = helper.make_node(
        "GRU", [x, weight, recurrence, biases], ["", "last"], name="GRU", hidden_size=12, linear_before_reset=1
    )
    graph.nodes.append(node)
    graph.write("recurrent", graph.linear(graph.add("Squeeze", "last", first), "head"), network)


def attention():
    network = trained(Attention())
    graph = Graph(network)
    x = graph.add("Reshape", "images", graph.constant("rows", [-1, 8, 8]))
    x = graph.add("Add", graph.linear(x, "embed"), "positions")
    y = graph.add("LayerNormalization", x, "norm.weight", "norm.bias", epsilon=1e-5)
    query, key, value = (graph.linear(y, name, bias=False) for name in ("query", "key", "value"))
    scores = graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 2, 1]))
    root = graph.add("Constant", value_float=12**0.5)
    weights = graph.add("Softmax", graph.add("Div", scores, root), axis=-1)
    x = graph.add("Add", x, graph.linear(graph.add("MatMul", weights, value), "out"))
    mean = graph.add("ReduceMean", graph.add("Relu", x), graph.constant("tokens", [1]), keepdims=0)
    graph.write("attention", graph.linear(mean, "head"), network)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for seed, make in enumerate((convolutional, residual, recurrent, attention)):
        torch.manual_seed(seed)
        make()
