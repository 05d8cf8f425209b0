"""Makes a transformer up: random weights in BF16 with the tensors of a published architecture."""

import json
import os
import struct
import sys
from dataclasses import dataclass

PIECE = 1 << 22


@dataclass(frozen=True)
class Shapes:
    """The sizes of a Llama: keys are as many as key and value heads times the size of a head."""

    vocabulary: int
    width: int
    inner: int
    heads: int
    groups: int
    layers: int

    def tensors(self):
        keys = self.width // self.heads * self.groups
        yield "model.embed_tokens.weight", (self.vocabulary, self.width)
        for layer in range(self.layers):
            prefix = f"model.layers.{layer}."
            yield prefix + "input_layernorm.weight", (self.width,)
            yield prefix + "post_attention_layernorm.weight", (self.width,)
            for name, rows in (("q", self.width), ("k", keys), ("v", keys), ("o", self.width)):
                yield f"{prefix}self_attn.{name}_proj.weight", (rows, self.width)
            yield prefix + "mlp.gate_proj.weight", (self.inner, self.width)
            yield prefix + "mlp.up_proj.weight", (self.inner, self.width)
            yield prefix + "mlp.down_proj.weight", (self.width, self.inner)
        yield "model.norm.weight", (self.width,)

    def config(self):
        return {
            "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": self.width,
            "intermediate_size": self.inner, "num_attention_heads": self.heads, "num_key_value_heads": self.groups,
            "num_hidden_layers": self.layers, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
            "vocab_size": self.vocabulary, "max_position_embeddings": 8192, "tie_word_embeddings": True,
            "torch_dtype": "bfloat16", "hidden_act": "silu",
        }


def make(folder, shapes):
    """Random weights in BF16, pieces of one pool of normal numbers; factors of norms about 1."""
    import numpy

    random = numpy.random.default_rng(1)
    pool = (0.02 * random.standard_normal(2 * PIECE)).astype(numpy.float32)
    bits = (pool.view(numpy.uint32) >> 16).astype("<u2")
    header, end = {}, 0
    for name, shape in shapes.tensors():
        size = 2 * int(numpy.prod(shape))
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes.tensors():
            left = int(numpy.prod(shape))
            if len(shape) == 1:
                factors = (1 + 0.3 * random.standard_normal(left)).astype(numpy.float32)
                file.write((factors.view(numpy.uint32) >> 16).astype("<u2").tobytes())
                continue
            while left > 0:
                count, begin = min(left, PIECE), int(random.integers(PIECE))
                file.write(bits[begin : begin + count].tobytes())
                left -= count
    (folder / "config.json").write_text(json.dumps(shapes.config()))
    return end // 2


def restarted(variable, script):
    """Starts a script again with the Python that a variable of the environment names."""
    if variable in os.environ and variable + "_STARTED" not in os.environ:
        os.environ[variable + "_STARTED"] = "1"
        os.execv(os.environ[variable], [os.environ[variable], script, *sys.argv[1:]])
