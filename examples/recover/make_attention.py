"""Makes attention.onnx: one attention head of width 5 and size 3 over three tokens, without biases or norms."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(1)
shapes = {"q.weight": (5, 3), "k.weight": (5, 3), "v.weight": (5, 3), "o.weight": (3, 5)}
weights = [numpy_helper.from_array(random.normal(size=s).astype(np.float32), n) for n, s in shapes.items()]
scale = helper.make_node("Constant", [], ["scale"], value=numpy_helper.from_array(np.array(3**-0.5, np.float32)))
nodes = [
    helper.make_node("MatMul", ["x", "q.weight"], ["q"]),
    helper.make_node("MatMul", ["x", "k.weight"], ["k"]),
    helper.make_node("MatMul", ["x", "v.weight"], ["v"]),
    helper.make_node("Transpose", ["k"], ["turned"], perm=[0, 2, 1]),
    helper.make_node("MatMul", ["q", "turned"], ["scores"]),
    scale,
    helper.make_node("Mul", ["scores", "scale"], ["scaled"]),
    helper.make_node("Softmax", ["scaled"], ["shares"], axis=-1),
    helper.make_node("MatMul", ["shares", "v"], ["mixed"]),
    helper.make_node("MatMul", ["mixed", "o.weight"], ["y"]),
]
shape = [1, 3, 5]
graph = helper.make_graph(
    nodes,
    "attention",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
    weights,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, "attention.onnx")
