"""Configurations of every family, drawn from a seed: sizes, groups of heads, biases, windows, rotations, ties, masks."""
import random

LENGTH = 10                           # windows are shorter, positions longer
POSITIONS = 24
ROTARY_TYPES = {
    "linear": lambda draw: {"factor": draw.choice((2.0, 3.5))},
    "llama3": lambda draw: {"factor": 8.0, "low_freq_factor": draw.choice((1.0, 0.5)), "high_freq_factor": 4.0,
                            "original_max_position_embeddings": draw.choice((6, 12, 100))},
    "yarn": lambda draw: {"factor": draw.choice((2.0, 4.0)), "original_max_position_embeddings": draw.choice((6, 12, 64)),
                          "beta_fast": draw.choice((32, 4.0, 1.5))}
    | draw.choice(({}, {"attention_factor": 1.3}, {"mscale": 0.7, "mscale_all_dim": 1.1}, {"truncate": False}, {"beta_slow": 0.2})),
}


def activation(draw, *usual):
    return draw.choice((*usual, *usual, "gelu", "relu", "silu", "gelu_new", "tanh", "gelu_pytorch_tanh"))


def rotation(draw, base, types=tuple(ROTARY_TYPES), **more):
    """The keys for rotary positions, as they are written since transformers 5 or as before."""
    kind = draw.choice(("default", *types)) if types else "default"
    theta = draw.choice((base, 50.0, 1e6))
    scaled = {} if kind == "default" else ROTARY_TYPES[kind](draw)
    form = draw.choice(("new", "old", "old type", "left out"))
    if form == "new":
        return {"rope_parameters": {"rope_type": kind, "rope_theta": theta} | scaled | more}
    if form == "left out" and kind == "default":
        return dict(more)
    old = {"rope_theta": theta} | more
    if kind != "default":
        old["rope_scaling"] = {"type" if form == "old type" else "rope_type": kind} | scaled
    return old


def gated(draw, each=False, theta=10000.0, types=tuple(ROTARY_TYPES), **more):
    """What all relatives of Llama have."""
    heads = draw.choice((2, 4))
    size = draw.choice((4, 8)) if each else draw.choice((2, 4, 6, 8))
    keys = dict(vocab_size=draw.choice((19, 23)), hidden_size=heads * size if each else draw.choice((12, 16)),
                intermediate_size=draw.choice((10, 20)), num_hidden_layers=draw.choice((1, 2, 3)), num_attention_heads=heads,
                num_key_value_heads=draw.choice([n for n in (1, 2, 4) if heads % n == 0]), max_position_embeddings=POSITIONS,
                hidden_act=activation(draw, "silu"), rms_norm_eps=draw.choice((1e-6, 1e-5, 1e-2)),
                tie_word_embeddings=draw.random() < 0.5)
    return keys | ({} if each else {"head_dim": size}) | rotation(draw, theta, types) | more


def llama(draw):
    return gated(draw, attention_bias=draw.random() < 0.5, mlp_bias=draw.random() < 0.5)


def mistral(draw):
    return gated(draw, sliding_window=draw.choice((1, 3, 7, 9, None, 4096)))


def qwen2(draw):
    return gated(draw, **switched(draw))


def switched(draw):
    layers = draw.choice((2, 3))
    keys = dict(num_hidden_layers=layers, use_sliding_window=draw.random() < 0.7, sliding_window=draw.choice((2, 4)),
                max_window_layers=draw.choice((0, 1, 2)))
    if draw.random() < 0.4 and keys["use_sliding_window"]:
        keys["layer_types"] = [draw.choice(("full_attention", "sliding_attention")) for _ in range(layers)]
    return keys


def qwen3(draw):
    return gated(draw, attention_bias=draw.random() < 0.5, **switched(draw))


def smollm3(draw):
    layers = draw.choice((3, 5))
    keys = dict(num_hidden_layers=layers, pad_token_id=None, no_rope_layer_interval=draw.choice((2, 3, 4)), use_sliding_window=draw.random() < 0.5,
                sliding_window=draw.choice((None, 3)), attention_bias=draw.random() < 0.5, mlp_bias=draw.random() < 0.5)
    if draw.random() < 0.4:
        keys["no_rope_layers"] = [draw.choice((0, 1)) for _ in range(layers)]
    return gated(draw, theta=2e6, **keys)


def olmo2(draw):
    return gated(draw, each=draw.random() < 0.5, attention_bias=draw.random() < 0.5)


def phi3(draw):
    fraction = draw.choice(({}, {"partial_rotary_factor": 0.5}))
    keys = gated(draw, each=True, types=(), sliding_window=draw.choice((None, 3, 50)), pad_token_id=0, **fraction)
    if draw.random() < 0.6:
        pairs = int(keys["hidden_size"] // keys["num_attention_heads"] * fraction.get("partial_rotary_factor", 1)) // 2
        scaled = draw.choice(({"type": "longrope"}, {"type": "su", "original_max_position_embeddings": 7})) | {
            key: [draw.choice((1.0, 1.5, 4.0)) for _ in range(pairs)] for key in ("short_factor", "long_factor")
        } | draw.choice(({}, {"attention_factor": 1.3}, {"factor": 3.0}))
        theta = keys.pop("rope_parameters", {}).get("rope_theta", keys.pop("rope_theta", 10000.0))
        keys |= {"rope_theta": theta, "rope_scaling": scaled, "original_max_position_embeddings": draw.choice((4, LENGTH, 12, 100))}
    return keys


def gemma(draw):
    return gated(draw, attention_bias=draw.random() < 0.3, hidden_act="gelu_pytorch_tanh")


def gemma2(draw):
    heads = draw.choice((2, 4))
    return gated(draw) | dict(
        num_attention_heads=heads, num_key_value_heads=draw.choice((1, heads)), hidden_size=16,
        hidden_activation=activation(draw, "gelu_pytorch_tanh"), query_pre_attn_scalar=draw.choice((4, 9)),
        num_hidden_layers=draw.choice((2, 3)), sliding_window=draw.choice((2, 5)), attn_logit_softcapping=draw.choice((None, 2.0, 50.0)),
        final_logit_softcapping=draw.choice((None, 3.0)), attention_bias=draw.random() < 0.3)


def gemma3_text(draw):
    keys = gemma2(draw) | {"num_hidden_layers": draw.choice((3, 7))}
    for key in ("rope_parameters", "rope_scaling", "rope_theta"):
        keys.pop(key, None)
    form = draw.choice(("new", "old", "left out"))
    kind = draw.choice(tuple(ROTARY_TYPES))
    if form == "new":
        keys["rope_parameters"] = {"full_attention": {"rope_type": kind, "rope_theta": 1e5} | ROTARY_TYPES[kind](draw),
                                   "sliding_attention": {"rope_type": "default", "rope_theta": draw.choice((1e4, 30.0))}}
    elif form == "old":
        keys |= {"rope_theta": 1e5, "rope_local_base_freq": 30.0}
        if draw.random() < 0.7:
            keys["rope_scaling"] = {"rope_type": kind} | ROTARY_TYPES[kind](draw)
    if draw.random() < 0.5:
        keys["sliding_window_pattern"] = draw.choice((2, 3))
    return keys


def stablelm(draw):
    keys = gated(draw, each=True, use_qkv_bias=draw.random() < 0.5, qk_layernorm=draw.random() < 0.5,
                 use_parallel_residual=draw.random() < 0.5, layer_norm_eps=draw.choice((1e-5, 1e-2)))
    fraction = draw.choice((0.5, 1.0))
    if "rope_parameters" in keys:
        keys["rope_parameters"]["partial_rotary_factor"] = fraction
    else:
        keys["partial_rotary_factor"] = fraction
    return keys


def gpt_neox(draw):
    heads = draw.choice((2, 4))
    keys = dict(vocab_size=23, hidden_size=heads * 8, intermediate_size=20, num_hidden_layers=2, num_attention_heads=heads,
                max_position_embeddings=POSITIONS, layer_norm_eps=draw.choice((1e-5, 1e-2)), hidden_act=activation(draw, "gelu"),
                use_parallel_residual=draw.random() < 0.5, attention_bias=draw.random() < 0.7, tie_word_embeddings=draw.random() < 0.5)
    kind = draw.choice(("default", *ROTARY_TYPES))
    scaled = {} if kind == "default" else ROTARY_TYPES[kind](draw)
    return keys | {"rope_parameters": {"rope_type": kind, "rope_theta": 300.0, "partial_rotary_factor": draw.choice((0.5, 1.0))} | scaled}


def gpt2(draw):
    return dict(vocab_size=23, n_embd=16, n_head=draw.choice((2, 4)), n_layer=draw.choice((1, 2)), n_positions=POSITIONS,
                n_inner=draw.choice((None, 20)), layer_norm_epsilon=draw.choice((1e-5, 1e-2)),
                activation_function=activation(draw, "gelu_new"), tie_word_embeddings=draw.random() < 0.7)


def gptj(draw):
    heads = draw.choice((2, 4))
    return gpt2(draw) | dict(n_embd=8 * heads, n_head=heads, rotary_dim=draw.choice((2, 4, 8)), tie_word_embeddings=draw.random() < 0.3)


def gpt_neo(draw):
    patterns = draw.choice(([[["global", "local"], 1]], [[["local"], 2]], [[["global"], 1], [["local"], 2]]))
    return dict(vocab_size=23, hidden_size=16, num_heads=draw.choice((2, 4)), attention_types=patterns,
                num_layers=sum(len(names) * times for names, times in patterns), max_position_embeddings=POSITIONS,
                intermediate_size=draw.choice((None, 20)), window_size=draw.choice((2, 4, 30)), layer_norm_epsilon=draw.choice((1e-5, 1e-2)),
                activation_function=activation(draw, "gelu_new"), tie_word_embeddings=draw.random() < 0.7)


def opt(draw):
    return dict(vocab_size=23, hidden_size=16, ffn_dim=20, num_hidden_layers=2, num_attention_heads=draw.choice((2, 4)),
                max_position_embeddings=POSITIONS, activation_function=activation(draw, "relu"),
                do_layer_norm_before=draw.random() < 0.6, word_embed_proj_dim=draw.choice((16, 16, 12)), enable_bias=draw.random() < 0.7,
                layer_norm_elementwise_affine=draw.random() < 0.7, _remove_final_layer_norm=draw.random() < 0.3,
                tie_word_embeddings=draw.random() < 0.6)


def bert(draw):
    return dict(vocab_size=23, hidden_size=16, intermediate_size=20, num_hidden_layers=2, num_attention_heads=draw.choice((2, 4)),
                max_position_embeddings=POSITIONS, type_vocab_size=draw.choice((1, 2, 3)), layer_norm_eps=draw.choice((1e-12, 1e-2)),
                hidden_act=activation(draw, "gelu"))


def roberta(draw):
    return bert(draw) | {"pad_token_id": draw.choice((0, 1, 1, 5))}


def distilbert(draw):
    return dict(vocab_size=23, dim=16, hidden_dim=20, n_layers=2, n_heads=draw.choice((2, 4)), max_position_embeddings=POSITIONS,
                activation=activation(draw, "gelu"))


FAMILIES = {one.__name__: one for one in (
    llama, mistral, qwen2, qwen3, smollm3, olmo2, phi3, gemma, gemma2, gemma3_text, stablelm, gpt_neox, gpt2, gptj, gpt_neo, opt, bert,
    roberta, distilbert)}
ENCODERS = ("bert", "roberta", "distilbert")


def drawn(family, seed):
    """Returns (config.json, how the folder is written and what is given to the model)."""
    draw = random.Random(f"{family} {seed}")
    config = FAMILIES[family](draw)
    form = {"head": family not in ENCODERS and draw.random() < 0.8, "shards": draw.random() < 0.2,
            "stored": draw.choice(("float32", "float32", "bfloat16", "float16")), "inputs": []}
    form["inputs"].append({})
    form["inputs"].append({"attention_mask": draw.choice(("right", "left", "holes"))})
    if family in ("bert", "roberta"):
        form["inputs"].append({"token_type_ids": config["type_vocab_size"]})
    form["inputs"].append({"attention_mask": "none", "position_ids": draw.choice(("shifted", "mixed"))})
    return {"model_type": family} | config, form
