"""Writes blocks.gguf, two blocks of random bytes of each quantised type with scales of ordinary size, and blocks.f32 with what the PyPI
package gguf 0.19 makes of them, one type after the other, little-endian float32."""
import gguf
import numpy as np
from gguf import GGMLQuantizationType, quants

SCALES = {"Q5_0": [0], "Q5_1": [0, 2], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0]}
random = np.random.default_rng(3)
writer = gguf.GGUFWriter("blocks.gguf", "llama")
values = b""
for name, places in SCALES.items():
    kind = GGMLQuantizationType[name]
    _, size = gguf.GGML_QUANT_SIZES[kind]
    raw = random.integers(0, 256, (2, size), dtype=np.uint8)
    for at in places:
        raw[:, at : at + 2] = random.normal(0, 0.05, (2, 1)).astype("<f2").view(np.uint8)
    writer.add_tensor(name, raw, raw_dtype=kind)
    values += quants.dequantize(raw.reshape(1, -1), kind).astype("<f4").tobytes()
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
with open("blocks.f32", "wb") as file:
    file.write(values)
