"""Makes the ONNX files of this folder, their inputs (NAME.in.npz) and outputs (NAME.out.npz): python make_onnx.py FOLDER

Outputs are those of onnx.reference in float64; of recurrent layers those of ONNX Runtime in float32. Written with onnx 1.23, onnxruntime 1.32.
"""

import math
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

FOLDER = Path(sys.argv[1])
TYPES = {np.dtype("float64"): TensorProto.DOUBLE, np.dtype("float32"): TensorProto.FLOAT, np.dtype("int64"): TensorProto.INT64, np.dtype("bool"): TensorProto.BOOL}


class Graph:
    def __init__(self, opset=23, dtype=np.float64, seed=0):
        self.opset, self.dtype, self.rng = opset, dtype, np.random.default_rng(seed)
        self.nodes, self.stored, self.given, self.outputs, self.axes = [], [], {}, [], {}

    def array(self, *shape, positive=False):
        numbers = self.rng.standard_normal(shape)
        return (0.5 + np.abs(numbers) if positive else numbers).astype(self.dtype)

    def input(self, name, array, axes=None):
        self.given[name] = array
        self.axes[name] = axes or array.shape
        return name

    def weight(self, name, array):
        self.stored.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def ints(self, *numbers):
        return self.weight(f"i{len(self.stored)}", np.array(numbers, np.int64))

    def op(self, operator, inputs, outputs=1, domain="", **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, name=f"n{len(self.nodes)}", domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def out(self, name, value):
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(name)

    def model(self):
        inputs = [helper.make_tensor_value_info(name, TYPES[array.dtype], self.axes[name]) for name, array in self.given.items()]
        outputs = [helper.make_empty_tensor_value_info(name) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, self.stored)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=min(10, 3 if self.opset < 9 else 10))

    def save(self, name, runtime=False, **better):
        model = self.model()
        onnx.save(model, str(FOLDER / f"{name}.onnx"))
        if runtime:
            import onnxruntime

            found = onnxruntime.InferenceSession(model.SerializeToString()).run(self.outputs, self.given)
        else:
            found = ReferenceEvaluator(model).run(self.outputs, self.given)
        np.savez(FOLDER / f"{name}.in.npz", **self.given)
        np.savez(FOLDER / f"{name}.out.npz", **(dict(zip(self.outputs, map(np.asarray, found))) | better))


def pointwise():
    g = Graph()
    x = g.input("x", g.array(2, 3, 4))
    p = g.input("p", g.array(2, 3, 4, positive=True))
    u = g.input("u", np.tanh(g.array(2, 3)))
    for name in "Relu Sigmoid Tanh Softplus Exp Sin Cos Erf Abs Floor Ceil Round Sign Tan Atan Sinh Cosh Asinh Neg LeakyRelu Elu Selu Celu HardSigmoid HardSwish Mish Softsign Gelu ThresholdedRelu Shrink".split():
        g.out(name, g.op(name, [x]))
    for name in "Log Sqrt Reciprocal".split():
        g.out(name, g.op(name, [p]))
    g.out("Acosh", g.op("Acosh", [g.op("Add", [p, g.weight("one", np.float64(1))])]))
    for name in "Asin Acos Atanh".split():
        g.out(name, g.op(name, [u]))
    g.out("GeluTanh", g.op("Gelu", [x], approximate="tanh"))
    g.out("PRelu", g.op("PRelu", [x, g.weight("slope", g.array(3, 1))]))
    g.out("Clip", g.op("Clip", [x, g.weight("low", np.float64(-0.5)), g.weight("high", np.float64(0.25))]))
    g.out("ClipDynamic", g.op("Clip", [x, g.input("least", np.array(-0.25))]))
    erf = np.vectorize(math.erf)  # the reference rounds it, and constants of other functions, to float32
    n = g.given["x"]
    tanh = np.tanh(np.sqrt(2 / np.pi) * (n + 0.044715 * n**3))
    g.save("pointwise", Erf=erf(n), Gelu=n * (1 + erf(n / np.sqrt(2))) / 2, GeluTanh=n * (1 + tanh) / 2, HardSwish=n * np.clip(n / 6 + 0.5, 0, 1))


def arithmetic():
    g = Graph(seed=1)
    a, b = g.input("a", g.array(2, 3, 4)), g.weight("b", g.array(3, 1))
    p = g.input("p", g.array(3, 4, positive=True))
    for name in "Add Sub Mul Div Max Min Sum Mean".split():
        g.out(name, g.op(name, [a, b]))
    g.out("Pow", g.op("Pow", [p, b]))
    g.out("Square", g.op("Pow", [a, g.weight("two", np.float64(2))]))
    g.out("PowWhole", g.op("Pow", [a, g.input("exponents", np.array([3.0, 2.0, 0.0, -1.0]))]))
    g.out("Fmod", g.op("Mod", [a, b], fmod=1))
    m, n = g.input("m", np.array([49, -49, 7, -7, 0, 5], np.int64)), g.input("n", np.array([49, 10, -2, 2, 3, -5], np.int64))
    g.out("WholeDiv", g.op("Div", [m, n]))
    g.out("WholeMod", g.op("Mod", [m, n]))
    less, more = g.op("Less", [a, b]), g.op("GreaterOrEqual", [a, p])
    for name in "And Or Xor".split():
        g.out(name, g.op(name, [less, more]))
    g.out("Not", g.op("Not", [less]))
    g.out("Where", g.op("Where", [more, a, b]))
    g.out("Cast", g.op("Cast", [g.op("Mul", [a, g.weight("ten", np.float64(10))])], to=TensorProto.INT64))
    g.out("Truth", g.op("Cast", [m], to=TensorProto.BOOL))
    g.save("arithmetic")


def shapes():
    g = Graph(seed=2)
    x = g.input("x", g.array(2, 4, 6), axes=("batch", 4, "length"))
    shape = g.op("Shape", [x])
    batch = g.op("Slice", [shape, g.ints(0), g.ints(1)])
    rest = g.op("Div", [g.op("Gather", [shape, g.ints(2)]), g.ints(2)])
    g.out("Reshape", g.op("Reshape", [x, g.op("Concat", [batch, g.ints(-1), rest, g.ints(2)], axis=0)]))
    g.out("Zeros", g.op("ConstantOfShape", [shape]))
    g.out("Range", g.op("Range", [g.weight("zero", np.int64(0)), g.op("Squeeze", [rest]), g.weight("step", np.int64(1))]))
    g.out("Expand", g.op("Expand", [g.op("ReduceSum", [x, g.ints(1)]), shape]))
    g.out("Tile", g.op("Tile", [x, g.ints(1, 2, 3)]))
    g.out("Transpose", g.op("Transpose", [x], perm=[2, 0, 1]))
    g.out("Flatten", g.op("Flatten", [x], axis=2))
    g.out("Unsqueeze", g.op("Unsqueeze", [x, g.ints(0, -1)]))
    depth = g.input("depth", g.array(1, 8, 2, 3))
    g.out("DepthToSpace", g.op("DepthToSpace", [depth], blocksize=2))
    g.out("DepthToSpaceCRD", g.op("DepthToSpace", [depth], blocksize=2, mode="CRD"))
    g.out("SpaceToDepth", g.op("SpaceToDepth", [g.op("DepthToSpace", [depth], blocksize=2)], blocksize=2))
    g.out("Size", g.op("Size", [x]))
    g.out("EyeLike", g.op("EyeLike", [g.input("square", g.array(3, 4))], k=1))
    g.out("Trilu", g.op("Trilu", [x, g.weight("k", np.int64(1))]))
    g.save("shapes")


def selection():
    g = Graph(seed=3)
    x = g.input("x", g.array(3, 5, 4))
    g.out("Slice", g.op("Slice", [x, g.ints(-1, 0), g.ints(-100, 5), g.ints(1, 2), g.ints(-2, 3)]))
    for i, part in enumerate(g.op("Split", [x, g.ints(2, 3)], outputs=2, axis=1)):
        g.out(f"Split{i}", part)
    for i, part in enumerate(g.op("Split", [x], outputs=2, axis=1, num_outputs=2)):
        g.out(f"Halves{i}", part)
    for mode in "constant reflect edge wrap".split():
        g.out(f"Pad_{mode}", g.op("Pad", [x, g.ints(1, 0, 2, 0, 1, 3)], mode=mode))
    g.out("Gather", g.op("Gather", [x, g.input("rows", np.array([[0, -1], [2, 1]], np.int64))], axis=1))
    g.out("GatherOne", g.op("Gather", [x, g.weight("last", np.int64(-1))], axis=2))
    elements = g.input("elements", g.rng.permuted(np.tile(np.arange(5)[:, None], (3, 1, 4)), axis=1)[:, :2])
    g.out("GatherElements", g.op("GatherElements", [x, elements], axis=1))
    g.out("GatherND", g.op("GatherND", [x, g.input("pairs", np.array([[0, 4], [2, -1]], np.int64))]))
    g.out("ScatterElements", g.op("ScatterElements", [x, elements, g.input("updates", g.array(3, 2, 4))], axis=1))
    g.out("ScatterND", g.op("ScatterND", [x, g.weight("at", np.array([[2], [0]], np.int64)), g.input("slices", g.array(2, 5, 4))], reduction="add"))
    g.out("OneHot", g.op("OneHot", [g.input("classes", np.array([1, -1], np.int64)), g.weight("three", np.int64(3)), g.weight("values", np.array([0.5, 2.0]))], axis=0))
    g.save("selection")


def convolution():
    g = Graph(seed=4)
    line, plane, space = g.input("line", g.array(2, 4, 9)), g.input("plane", g.array(2, 4, 7, 6)), g.input("space", g.array(1, 2, 4, 5, 4))
    g.out("Conv1", g.op("Conv", [line, g.weight("w1", g.array(3, 4, 3)), g.weight("b1", g.array(3))], pads=[2, 1], strides=[2]))
    g.out("Conv2", g.op("Conv", [plane, g.weight("w2", g.array(6, 2, 3, 2))], group=2, dilations=[2, 1], pads=[1, 0, 2, 1]))
    g.out("Depthwise", g.op("Conv", [plane, g.weight("wd", g.array(4, 1, 3, 3)), g.weight("bd", g.array(4))], group=4, pads=[1, 1, 1, 1]))
    g.out("Pointwise", g.op("Conv", [plane, g.weight("wp", g.array(5, 4, 1, 1))], strides=[2, 1]))
    g.out("Conv3", g.op("Conv", [space, g.weight("w3", g.array(3, 2, 2, 3, 2))], strides=[1, 2, 1]))
    for pad in "SAME_UPPER SAME_LOWER VALID".split():
        g.out(pad, g.op("Conv", [plane, g.weight(pad + "w", g.array(3, 4, 2, 3))], auto_pad=pad, strides=[2, 1]))
    g.out("Transposed1", g.op("ConvTranspose", [line, g.weight("t1", g.array(4, 3, 3)), g.weight("tb", g.array(3))], strides=[2], pads=[1, 0], output_padding=[1]))
    g.out("Transposed2", g.op("ConvTranspose", [plane, g.weight("t2", g.array(4, 2, 2, 3))], strides=[2, 1], dilations=[1, 2]))
    g.save("convolution")


def pooling():
    g = Graph(seed=5)
    x = g.input("x", g.array(2, 3, 7, 6))
    g.out("Max", g.op("MaxPool", [x], kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1]))
    g.out("MaxCeil", g.op("MaxPool", [x], kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1, dilations=[1, 2]))
    g.out("Average", g.op("AveragePool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))
    g.out("AveragePadded", g.op("AveragePool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1))
    g.out("AverageSame", g.op("AveragePool", [x], kernel_shape=[2, 2], auto_pad="SAME_UPPER"))
    g.out("Lp", g.op("LpPool", [x], kernel_shape=[2, 2], p=3))
    g.out("GlobalMax", g.op("GlobalMaxPool", [x]))
    g.out("GlobalAverage", g.op("GlobalAveragePool", [x]))
    g.save("pooling")


def norms():
    g = Graph(dtype=np.float32, seed=6)
    x = g.input("x", g.array(4, 4, 3, 5))  # the reference normalises as many channels as there are samples
    scale, shift = g.weight("scale", g.array(4)), g.weight("shift", g.array(4))
    g.out("Batch", g.op("BatchNormalization", [x, scale, shift, g.weight("mean", g.array(4)), g.weight("variance", g.array(4, positive=True))], epsilon=0.01))
    layer = g.op("LayerNormalization", [x, g.weight("ls", g.array(3, 5)), g.weight("lb", g.array(3, 5))], outputs=3, axis=2)
    for name, value in zip(["Layer", "LayerMean", "LayerSpread"], layer):
        g.out(name, value)
    g.out("RMS", g.op("RMSNormalization", [x, g.weight("rs", g.array(5))]))
    g.out("Instance", g.op("InstanceNormalization", [x, scale, shift]))
    g.out("Group", g.op("GroupNormalization", [x, scale, shift], num_groups=2))
    g.out("Local", g.op("LRN", [x], size=3, alpha=0.1, bias=2.0))
    g.out("Unit", g.op("LpNormalization", [x], axis=1, p=2))
    g.out("MeanVariance", g.op("MeanVarianceNormalization", [x]))
    g.save("norms")


def reductions():
    g = Graph(seed=7)
    x, p = g.input("x", g.array(2, 5, 3)), g.input("p", g.array(2, 5, 3, positive=True))
    axes = g.ints(1, -1)
    for name in "Sum Mean Max Min Prod L1 L2 SumSquare LogSumExp".split():
        g.out(name, g.op("Reduce" + name, [x, axes], keepdims=0))
    g.out("LogSum", g.op("ReduceLogSum", [p, axes]))
    g.out("All", g.op("ReduceSum", [x]))
    g.out("Nothing", g.op("ReduceSum", [x], noop_with_empty_axes=1))
    ties = g.input("ties", np.array([[1.0, 3.0, 3.0], [2.0, 0.0, 0.0]]))
    g.out("ArgMax", g.op("ArgMax", [ties], axis=1, keepdims=0))
    g.out("ArgMaxLast", g.op("ArgMax", [ties], axis=1, select_last_index=1))
    g.out("ArgMin", g.op("ArgMin", [ties], axis=1))
    for name in "Softmax LogSoftmax Hardmax".split():
        g.out(name, g.op(name, [x], axis=1))
    g.out("CumSum", g.op("CumSum", [x, g.weight("axis", np.int64(1))], exclusive=1, reverse=1))
    g.save("reductions")


def contractions():
    g = Graph(seed=8)
    a = g.input("a", g.array(3, 4))
    g.out("Linear", g.op("Gemm", [a, g.weight("w", g.array(5, 4)), g.weight("b", g.array(5))], transB=1))
    g.out("Gemm", g.op("Gemm", [a, g.weight("c", g.array(3, 5)), g.weight("d", g.array(4, 1))], transA=1, alpha=0.5, beta=2.0))
    t = g.input("t", g.array(2, 1, 3, 4))
    g.out("MatMul", g.op("MatMul", [t, g.weight("e", g.array(6, 4, 2))]))
    g.out("Vector", g.op("MatMul", [t, g.weight("f", g.array(4))]))
    for i, (equation, shapes) in enumerate([("bhid,bhjd->bhij", [(2, 3, 4, 5), (2, 3, 6, 5)]), ("...ij,jk->...ik", [(2, 3, 4), (4, 5)]), ("ij->j", [(3, 4)]), ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]), ("ij,ik", [(3, 2), (3, 4)])]):
        g.out(f"Einsum{i}", g.op("Einsum", [g.input(f"e{i}_{j}", g.array(*shape)) for j, shape in enumerate(shapes)], equation=equation))
    g.save("contractions")


def recurrent():
    g = Graph(opset=22, dtype=np.float32, seed=9)
    time, batch, size, hidden = 4, 2, 3, 5
    x = g.input("x", g.array(time, batch, size))
    for name, gates, functions in [("RNN", 1, ["Relu", "Tanh"]), ("GRU", 3, ["HardSigmoid", "Tanh", "Sigmoid", "Relu"]), ("LSTM", 4, ["Sigmoid", "Tanh", "Tanh", "Sigmoid", "Relu", "Softsign"])]:
        for both in (1, 2):
            def weights(label, *shape):
                return g.weight(f"{name}{both}{label}", g.array(both, *shape) * np.float32(0.5))

            inputs = [x, weights("w", gates * hidden, size), weights("r", gates * hidden, hidden), weights("b", 2 * gates * hidden)]
            more = {"hidden_size": hidden, "direction": "bidirectional" if both == 2 else "reverse"}
            if both == 2:
                more["activations"] = functions
                inputs += ["", g.input(name + "h", g.array(2, batch, hidden))]
                if name == "LSTM":
                    inputs += [g.input("c", g.array(2, batch, hidden)), weights("p", 3 * hidden)]
            elif name == "GRU":
                more["linear_before_reset"] = 1
            values = g.op(name, inputs, outputs=3 if name == "LSTM" else 2, **more)
            for i, value in enumerate(values):
                g.out(f"{name}{both}_{i}", value)
    g.save("recurrent", runtime=True)


def resize():
    g = Graph(seed=10)
    x = g.input("x", g.array(1, 2, 4, 5))
    scales = g.weight("scales", np.array([1, 1, 2.5, 1.6], np.float32))
    for mode in "nearest linear cubic".split():
        for coordinates in "half_pixel align_corners asymmetric pytorch_half_pixel".split():
            g.out(f"{mode}_{coordinates}", g.op("Resize", [x, "", scales], mode=mode, coordinate_transformation_mode=coordinates))
    g.out("sizes", g.op("Resize", [x, "", "", g.ints(3, 8)], mode="linear", axes=[2, 3], antialias=1))
    g.save("resize")


def attention():
    g = Graph(seed=11)
    q, k, v = g.input("q", g.array(2, 4, 3, 6)), g.input("k", g.array(2, 2, 5, 6)), g.input("v", g.array(2, 2, 5, 4))
    g.out("Plain", g.op("Attention", [q, k, v]))
    g.out("Causal", g.op("Attention", [q, k, v], is_causal=1, softcap=2.0, scale=0.25))
    mask = np.array([[True, False, True, True, False], [False] * 5, [True] * 5])
    g.out("Masked", g.op("Attention", [q, k, v, g.input("mask", mask)]))
    g.out("Flat", g.op("Attention", [g.input("fq", g.array(2, 3, 8)), g.input("fk", g.array(2, 5, 4)), g.input("fv", g.array(2, 5, 4))], q_num_heads=4, kv_num_heads=2))
    g.out("Rotary", g.op("RotaryEmbedding", [q, g.weight("cosine", np.cos(g.array(7, 3))), g.weight("sine", np.sin(g.array(7, 3))), g.input("positions", np.array([[0, 1, 2], [4, 5, 6]], np.int64))]))
    g.save("attention")


def opset6():
    g = Graph(opset=6, dtype=np.float32, seed=12)
    x = g.input("x", g.array(2, 3, 4))
    row = g.op("Reshape", [g.weight("row", g.array(1, 3)), g.ints(3)])
    g.nodes.append(helper.make_node("Add", [x, row], ["added"], axis=1, broadcast=1))
    g.nodes.append(helper.make_node("Dropout", ["added"], ["dropped"], is_test=1, ratio=0.5))
    g.nodes.append(helper.make_node("Softmax", ["dropped"], ["soft"], axis=1))
    g.nodes.append(helper.make_node("Slice", ["soft"], ["part"], axes=[2], starts=[-3], ends=[9223372036854775807]))
    g.nodes.append(helper.make_node("Pad", ["part"], ["padded"], pads=[0, 0, 1, 0, 0, 0], value=0.5))
    g.nodes.append(helper.make_node("Clip", ["padded"], ["y"], min=0.0, max=0.3))
    g.outputs.append("y")
    model = g.model()
    onnx.save(model, str(FOLDER / "opset6.onnx"))
    a = g.given["x"] + numpy_helper.to_array(g.stored[0]).reshape(3, 1)
    e = np.exp(a.reshape(2, 12) - a.reshape(2, 12).max(1, keepdims=True))
    s = (e / e.sum(1, keepdims=True)).reshape(2, 3, 4)[:, :, 1:]
    np.savez(FOLDER / "opset6.in.npz", **g.given)
    np.savez(FOLDER / "opset6.out.npz", y=np.clip(np.pad(s, ((0, 0), (0, 0), (1, 0)), constant_values=0.5), 0, 0.3))


def opset9():
    g = Graph(opset=9, dtype=np.float32, seed=13)
    x = g.input("x", g.array(1, 2, 3, 4), axes=("batch", 2, 3, 4))
    g.out("up", g.op("Upsample", [x, g.weight("scales", np.array([1, 1, 2, 3], np.float32))], mode="nearest"))
    g.out("sum", g.op("ReduceSum", [x], axes=[1, 3], keepdims=0))
    a, b = g.op("Split", [x], outputs=2, axis=3, split=[1, 3])
    g.out("squeezed", g.op("Squeeze", [a], axes=[3]))
    g.out("unsqueezed", g.op("Unsqueeze", [b], axes=[0]))
    g.save("opset9", runtime=True)


def branch():
    g = Graph(seed=14)
    x = g.input("x", g.array(2, 3), axes=("batch", "width"))
    rate = g.input("rate", np.array(16000, np.int64))
    wide = g.op("Equal", [rate, g.weight("sixteen", np.int64(16000))])
    def block(name, factor):
        weight = numpy_helper.from_array(np.full(3, factor), name + "_weight")
        node = helper.make_node("Mul", ["x", name + "_weight"], [name + "_y"])
        return helper.make_graph([node], name, [], [helper.make_tensor_value_info(name + "_y", TensorProto.DOUBLE, None)], [weight])
    g.out("y", g.op("If", [wide], then_branch=block("wide", 2.0), else_branch=block("narrow", 3.0)))
    g.save("branch")


def refused():
    def one(name, operator, given, opset=23, count=1, domain="", **attributes):
        g = Graph(opset=opset, dtype=np.float32)
        for key, (array, axes) in given.items():
            g.input(key, array, axes)
        values = [f"y{i}" for i in range(count)]
        g.nodes.append(helper.make_node(operator, list(given), values, name="step", domain=domain, **attributes))
        g.outputs = values
        onnx.save(g.model(), str(FOLDER / f"refused-{name}.onnx"))

    x = np.zeros((2, 3), np.float32)
    one("operator", "TopK", {"x": (x, None), "k": (np.array([1]), None)}, count=2)
    one("domain", "FusedGelu", {"x": (x, None)}, domain="com.example")
    one("attribute", "Relu", {"x": (x, None)}, leak=0.5)
    one("axis", "Relu", {"x": (x, ("batch", 3))})
    one("unnamed", "Relu", {"x": (x, (None, 3))})
    one("opset", "Relu", {"x": (x, None)}, opset=5)
    one("result", "MaxPool", {"x": (np.zeros((1, 1, 4), np.float32), None)}, count=2, kernel_shape=[2])
    one("shape", "MatMul", {"x": (x, None), "z": (x, None)})
    one("training", "BatchNormalization", {"x": (np.zeros((2, 3, 4), np.float32), None)} | {n: (np.ones(3, np.float32), None) for n in "sbmv"}, training_mode=1)
    one("known", "Reshape", {"x": (x, None), "shape": (np.array([3, 2]), None)})
    one("text", "StringNormalizer", {"x": (x, None)})


for make in (pointwise, arithmetic, shapes, selection, convolution, pooling, norms, reductions, contractions, recurrent, resize, attention, opset6, opset9, branch, refused):
    make()
