"""Writes quantised.gguf, and quantised.json with its weights as float32 bits: each type widened by numpy, by the layouts that
ggml documents, without any GGUF library. Python 3.11, numpy 2.4."""
import json
import struct

import numpy as np

random = np.random.default_rng(7)


def text(value):
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def scale(size=()):
    """Finite float16 numbers of ordinary size, a subnormal among them."""
    values = np.asarray(random.normal(0, 0.05, size), dtype="<f2")
    if values.size > 1:
        values.flat[1] = np.float16(3e-7)
    return values


def q8_0(blocks):
    d = scale(blocks)
    q = random.integers(-128, 128, (blocks, 32), dtype=np.int8)
    raw = b"".join(d[b].tobytes() + q[b].tobytes() for b in range(blocks))
    return raw, q.astype(np.float32) * d.astype(np.float32)[:, None]


def q4(blocks, with_least):
    d, m = scale(blocks), scale(blocks)
    q = random.integers(0, 256, (blocks, 16), dtype=np.uint8)
    raw = b"".join(d[b].tobytes() + (m[b].tobytes() if with_least else b"") + q[b].tobytes() for b in range(blocks))
    codes = np.concatenate([q & 15, q >> 4], axis=1).astype(np.float32)
    wide = d.astype(np.float32)[:, None]
    return raw, codes * wide + m.astype(np.float32)[:, None] if with_least else (codes - 8) * wide


def q6_k(blocks):
    raw, values = b"", []
    for _ in range(blocks):
        codes = random.integers(0, 64, 256)
        scales = random.integers(-128, 128, 16, dtype=np.int8)
        d = scale(2)[0]
        low, high = np.zeros(128, np.uint8), np.zeros(64, np.uint8)
        for i, code in enumerate(codes):
            half, part, at = i // 128, i % 128 // 32, i % 32
            low[64 * half + 32 * (part % 2) + at] |= (code & 15) << (4 * (part // 2))
            high[32 * half + at] |= (code >> 4) << (2 * part)
        raw += low.tobytes() + high.tobytes() + scales.tobytes() + d.tobytes()
        own = np.float32(d) * np.repeat(scales, 16).astype(np.float32)
        values.append(own * (codes - 32).astype(np.float32))
    return raw, np.array(values)


def plain(kind, count):
    values = random.normal(0, 1, count).astype("<f4")
    if kind == "f32":
        return values.tobytes(), values
    if kind == "f16":
        return values.astype("<f2").tobytes(), values.astype("<f2").astype("<f4")
    upper = (values.view("<u4") >> 16).astype("<u2")
    return upper.tobytes(), (upper.astype("<u4") << 16).view("<f4")


tensors = [
    ("f32", 0, [3, 2], plain("f32", 6)),
    ("f16", 1, [5], plain("f16", 5)),
    ("bf16", 30, [4], plain("bf16", 4)),
    ("q8_0", 8, [64, 2], q8_0(4)),
    ("q4_0", 2, [32, 2], q4(2, False)),
    ("q4_1", 3, [32, 3], q4(3, True)),
    ("q6_k", 14, [256, 2], q6_k(2)),
    ("unread", 15, [256], (bytes(292), np.zeros(256, np.float32))),
]
keys = [
    text("general.architecture") + struct.pack("<I", 8) + text("llama"),
    text("general.alignment") + struct.pack("<II", 4, 64),
    text("llama.epsilon") + struct.pack("<If", 6, 1e-5),
    text("yes") + struct.pack("<IB", 7, 1),
    text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("größe"),
    text("scores") + struct.pack("<IIQ3f", 9, 6, 3, 1, 2, 3),
]
header, data, expected = b"", b"", {}
for name, kind, dims, (raw, values) in reversed(tensors):  # not in the order of the table
    data += bytes(-len(data) % 64)
    header = text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, len(data)) + header
    data += raw
    if name != "unread":
        bits = np.ascontiguousarray(values, dtype="<f4").view("<u4").ravel()
        expected[name] = {"shape": dims[::-1], "bits": [int(b) for b in bits]}
head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys) + header
with open("quantised.gguf", "wb") as file:
    file.write(head + bytes(-len(head) % 64) + data)
with open("quantised.json", "w", encoding="utf-8") as file:
    json.dump(expected, file)
