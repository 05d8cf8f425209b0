"""Writes onnx/*.onnx and onnx/*.json: one small BERT of random weights, by both exporters of PyTorch, and what it computes.

PyTorch 2.15.0, transformers 5.24.0, onnx 1.23.2; the numbers are the model's own in float64.
"""

import json
import sys

import onnx
import torch
from transformers import BertConfig, BertModel

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
TYPES = torch.tensor([[0, 0, 1, 1, 1], [0, 1, 1, 0, 0]])
NAMES = ["input_ids", "attention_mask", "token_type_ids"]


class Encoder(torch.nn.Module):
    def __init__(self, model, pooled):
        super().__init__()
        self.model = model
        self.pooled = pooled

    def forward(self, input_ids, attention_mask, token_type_ids):
        out = self.model(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return (out.last_hidden_state, out.pooler_output) if self.pooled else out.last_hidden_state


def model(activation, attention, pooled):
    config = BertConfig(
        vocab_size=11, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
        max_position_embeddings=7, type_vocab_size=2, hidden_act=activation, attn_implementation=attention)
    made = BertModel(config, add_pooling_layer=pooled).eval()
    generator = torch.Generator().manual_seed(5)
    for parameter in made.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator) * 0.5 + (0.3 if parameter.dim() == 1 else 0)
    return made


def write(folder, name, activation, attention, dynamo, pooled):
    made = model(activation, attention, pooled)
    path = f"{folder}/{name}.onnx"
    axes = {0: torch.export.Dim("texts"), 1: torch.export.Dim("tokens", max=7)}
    sizes = {"dynamic_shapes": {n: axes for n in NAMES}} if dynamo else {
        "dynamic_axes": {n: {0: "texts", 1: "tokens"} for n in NAMES}}
    torch.onnx.export(
        Encoder(made, pooled).eval(), (IDS, MASK, TYPES), path, input_names=NAMES,
        output_names=["last_hidden_state"] + (["pooler_output"] if pooled else []),
        dynamo=dynamo, opset_version=18 if dynamo else 14, external_data=False, **sizes)
    stored = onnx.load(path)
    for node in stored.graph.node:  # stack traces, with paths of the machine
        del node.metadata_props[:]
        node.doc_string = ""
    for value in list(stored.graph.value_info) + list(stored.graph.input) + list(stored.graph.output):
        del value.metadata_props[:]
    for tensor in stored.graph.initializer:
        del tensor.metadata_props[:]
    del stored.graph.value_info[:]
    del stored.graph.metadata_props[:]
    del stored.metadata_props[:]
    onnx.save(stored, path)
    with torch.no_grad():
        hidden = made.double()(input_ids=IDS, attention_mask=MASK, token_type_ids=TYPES).last_hidden_state
    case = {"name": "padded", "input_ids": IDS.tolist(), "attention_mask": MASK.tolist(),
            "token_type_ids": TYPES.tolist(), "last_hidden_state": hidden.tolist()}
    with open(f"{folder}/{name}.json", "w") as file:
        json.dump({"cases": [case]}, file)


if __name__ == "__main__":
    write(sys.argv[1], "script-sdpa-gelu", "gelu", "sdpa", False, False)
    write(sys.argv[1], "script-eager-tanh-pooled", "gelu_new", "eager", False, True)
    write(sys.argv[1], "dynamo-sdpa-tanh", "gelu_new", "sdpa", True, False)
    write(sys.argv[1], "dynamo-eager-relu-pooled", "relu", "eager", True, True)
