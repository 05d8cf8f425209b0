"""Writes SHA-256 of the weights of an encoder exported by PyTorch, read with the onnx package 1.23.2."""
import sys, hashlib, onnx
from onnx import numpy_helper
m = onnx.load(sys.argv[1]); g = m.graph
t = {i.name: numpy_helper.to_array(i) for i in g.initializer}
byname = {n.name: n for n in g.node}
out = {}
for name, a in t.items():
    if not name.startswith("onnx::") and name != "embeddings.position_ids": out[name] = a
for n in g.node:
    if n.op_type == "MatMul" and n.input[1] in t:
        out[n.name[1:-len("/MatMul")].replace("/", ".") + ".weight"] = t[n.input[1]].T
with open(sys.argv[2], "w") as f:
    f.write("name,sha256\n")
    for name, a in out.items(): f.write(f"{name},{hashlib.sha256(a.astype('<f4').tobytes(order='C')).hexdigest()}\n")
print(len(out))
