"""The configurations that are compared: one key at a time, and many together, drawn from a seed."""
import random
from functools import partial

LEFT_OUT = object()
DEFAULT_ROPE = {"rope_type": "default", "rope_theta": 10000.0}
GATED = dict(hidden_size=16, intermediate_size=20, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             vocab_size=18, max_position_embeddings=16, rms_norm_eps=1e-5, rope_parameters=DEFAULT_ROPE)
BASE = {
    "gpt_neox": dict(architectures=["GPTNeoXForCausalLM"], hidden_size=32, intermediate_size=24, num_hidden_layers=2,
                     num_attention_heads=2, vocab_size=18, max_position_embeddings=16, layer_norm_eps=1e-5, hidden_act="gelu",
                     tie_word_embeddings=False, use_parallel_residual=True,
                     rope_parameters=DEFAULT_ROPE | {"partial_rotary_factor": 0.25}),
    "gpt2": dict(architectures=["GPT2LMHeadModel"], n_embd=16, n_layer=2, n_head=4, vocab_size=18, n_positions=16,
                 layer_norm_epsilon=1e-5, activation_function="gelu_new"),
    "llama": dict(architectures=["LlamaForCausalLM"], hidden_act="silu", tie_word_embeddings=False, **GATED),
    "qwen2": dict(architectures=["Qwen2ForCausalLM"], hidden_act="silu", tie_word_embeddings=False, use_sliding_window=False,
                  **GATED),
    "gemma": dict(architectures=["GemmaForCausalLM"], hidden_act="gelu_pytorch_tanh", head_dim=6, **GATED),
    "bert": dict(architectures=["BertModel"], hidden_size=16, intermediate_size=20, num_hidden_layers=2, num_attention_heads=4,
                 vocab_size=18, max_position_embeddings=16, type_vocab_size=2, layer_norm_eps=1e-5, hidden_act="gelu"),
}
ROTARY = ("gpt_neox", "llama", "qwen2", "gemma")
GATED_ONES = ("llama", "qwen2", "gemma")
EPSILON = {"gpt2": "layer_norm_epsilon", "bert": "layer_norm_eps", "gpt_neox": "layer_norm_eps"}
DECODERS = (*ROTARY, "gpt2")
SCALED = {
    "linear": {"factor": 2.0},
    "dynamic": {"factor": 2.0},
    "yarn": {"factor": 2.0, "original_max_position_embeddings": 8},
    "longrope": {"short_factor": [1.0, 1.5], "long_factor": [2.0, 3.0], "factor": 2.0, "original_max_position_embeddings": 4},
    "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8},
    "proportional": {"factor": 2.0},
    "su": {"factor": 2.0},
}
COMPUTED = ("linear", "yarn", "llama3")
ELSEWHERE = dict(                     # keys that change numbers in other architectures
    final_logit_softcapping=1.0, attn_logit_softcapping=1.0, logit_scale=0.1, logits_scaling=8.0, embedding_multiplier=3.0,
    residual_multiplier=0.2, attention_multiplier=0.1, query_pre_attn_scalar=2, pretraining_tp=2, parallel_attn_output=True,
    use_qk_norm=True, rotary_dim=2, clip_qkv=0.1)


def rope(family, **keys):
    """rope_parameters of the base with some keys changed."""
    changed = BASE[family]["rope_parameters"] | keys
    return {"rope_parameters": {key: value for key, value in changed.items() if value is not LEFT_OUT}}


def case_of(family, kind, key, name, **changes):
    return family, f"{family}-{name}", kind, key, changes


def cases():
    """Yields (family, name, kind, key, changes): kind is understood, same, ignored or refused; changes are to the base."""
    for family in BASE:
        act = "activation_function" if family == "gpt2" else "hidden_act"
        other_act = {"hidden_act", "activation_function", "hidden_activation"} - {act}
        eps = EPSILON.get(family, "rms_norm_eps")
        heads = "n_head" if family == "gpt2" else "num_attention_heads"

        case = partial(case_of, family)
        yield case("same", "", "base")
        yield case("understood", eps, eps, **{eps: 0.05})
        yield case("refused", eps, eps + "-null", **{eps: None})
        yield case("understood", heads, heads, **{heads: 4 if family == "gpt_neox" else 2},
                   **({"num_key_value_heads": 2} if family in GATED_ONES else {}))
        usual = {BASE[family].get(act)} | ({"gelu", "gelu_new"} if family == "gemma" else set())
        for name in ("relu", "gelu", "silu", "tanh", "gelu_new", "gelu_fast", "leaky_relu"):
            faint = family in ("gpt2", "gemma") and name == "gelu_fast"
            yield case("same" if name in usual or faint else "understood", act, f"{act}-{name}", **{act: name})
        yield case("refused", act, f"{act}-quick_gelu", **{act: "quick_gelu"})
        yield case("refused", act, f"{act}-null", **{act: None})
        for key in sorted(other_act):
            yield case("ignored", key, key, **{key: "relu"})
        yield case("refused", "quantization_config", "quantization_config",
                   quantization_config={"quant_method": "bitsandbytes", "load_in_8bit": True})
        yield case("refused", "per_layer_config", "per_layer_config", per_layer_config={"1": {eps: 0.5}})
        for key, value in ELSEWHERE.items():
            yield case("ignored", key, key, **{key: value})
        yield case("ignored", "use_cache", "harmless", use_cache=False, torch_dtype="float32", initializer_range=0.5,
                   bos_token_id=0, attention_dropout=0.1, hidden_dropout=0.1, resid_pdrop=0.1, hidden_dropout_prob=0.1,
                   no_such_key=3)
    for family in DECODERS:
        case = partial(case_of, family)
        default = BASE[family].get("tie_word_embeddings", True)
        # where the head is tied by default, a stored one counts without the flag too
        yield case("same" if default else "understood", "tie_word_embeddings", "tie_word_embeddings",
                   tie_word_embeddings=not default)
        yield case("refused", "tie_word_embeddings", "tie_word_embeddings-null", tie_word_embeddings=None)
        yield case("understood", "tie_word_embeddings", "tied-other-head", tie_word_embeddings=True, _head="other")
        yield case("same", "tie_word_embeddings", "tied-same-head", tie_word_embeddings=True, _head="same")
        yield case("refused", "is_causal", "is_causal", is_causal=False)
        yield case("ignored", "position_embedding_type", "position_embedding_type", position_embedding_type="relative_key")
        yield case("same", "layer_types", "layer_types-full", layer_types=["full_attention"] * 2)
        yield case("refused", "layer_types", "layer_types-sliding", layer_types=["full_attention", "sliding_attention"])
        yield case("refused", "layer_types", "layer_types-short", layer_types=["full_attention"])
        if family != "qwen2":
            yield case("refused", "sliding_window", "sliding_window", sliding_window=3)
            yield case("refused", "attention_chunk_size", "attention_chunk_size", attention_chunk_size=3)
            yield case("same", "sliding_window", "sliding_window-wide", sliding_window=16)
    for family in ROTARY:
        neox = family == "gpt_neox"
        base_key = "rotary_emb_base" if neox else "rope_theta"
        part = {"partial_rotary_factor": 0.25} if neox else {}

        case = partial(case_of, family)
        yield case("understood", "rope_theta", "rope_parameters-theta", **rope(family, rope_theta=50.0))
        yield case("understood", base_key, "older-base", rope_parameters=LEFT_OUT, **{base_key: 50.0},
                   **({"rotary_pct": 0.25} if neox else {}))
        yield case("same", "rope_theta", "older-base-beside", **{base_key: 50.0})
        yield case("ignored", "rope_theta" if neox else "rotary_emb_base", "other-base",
                   **{"rope_theta" if neox else "rotary_emb_base": 50.0})
        yield case("ignored" if neox else "understood", "rope_theta", "rope_theta-only", rope_parameters={}, rope_theta=50.0)
        yield case("refused", base_key, base_key + "-null", rope_parameters=LEFT_OUT, **{base_key: None})
        yield case("understood", "rope_scaling", "rope_scaling-first", rope_scaling={"rope_theta": 50.0} | part)
        yield case("same", "rope_scaling", "rope_scaling-empty", rope_scaling={})
        yield case("same", "rope_scaling", "rope_scaling-null", rope_scaling=None)
        yield case("same", "rope_scaling", "rope_scaling-no-type", rope_scaling={"factor": 2.0} | part)
        yield case("same", "rope_scaling", "rope_type-before-type", rope_scaling={"type": "linear", "rope_type": "default",
                   "factor": 2.0} | part)
        yield case("same", "factor", "rope_parameters-factor", **rope(family, factor=4.0))
        yield case("refused", "rope_type", "rope_type-null", **rope(family, rope_type=None))
        yield case("refused", "full_attention", "nested", rope_parameters={"full_attention": DEFAULT_ROPE | part})
        yield case("understood" if neox else "ignored", "partial_rotary_factor", "partial-inside", **rope(family,
                   partial_rotary_factor=0.5))
        yield case("ignored", "partial_rotary_factor", "partial-beside", partial_rotary_factor=0.5)
        yield case("ignored", "rotary_pct", "rotary_pct-beside", rotary_pct=0.5)
        for kind, keys in SCALED.items():
            computed = "understood" if kind in COMPUTED else "refused"
            yield case(computed, "rope_type", f"rope-{kind}", **rope(family, rope_type=kind, **keys))
            if kind in ("linear", "dynamic", "llama3"):
                yield case(computed, "type", f"older-rope-{kind}", rope_scaling={"type": kind} | keys)
    for family in BASE:
        yield from of_one(family)


def of_one(family):
    """The cases that only one architecture has, or some have each in their way."""
    case = partial(case_of, family)
    if family == "gpt_neox":
        yield case("understood", "rotary_pct", "rotary_pct", rope_parameters=LEFT_OUT, rotary_pct=0.5)
        yield case("same", "rotary_pct", "rotary-left-out", rope_parameters=LEFT_OUT)
        yield case("understood", "head_dim", "head_dim", head_dim=24)
        yield case("understood", "use_parallel_residual", "sequential", use_parallel_residual=False)
        yield case("understood", "attention_bias", "attention_bias", attention_bias=False)
    if family == "gpt2":
        linear = {"type": "linear", "factor": 2.0}
        general = dict(hidden_size=16, num_attention_heads=4, num_hidden_layers=2)
        yield case("understood", "n_inner", "n_inner", n_inner=20)
        yield case("same", "n_inner", "n_inner-null", n_inner=None)
        yield case("understood", "num_attention_heads", "general-names",
                   **general | dict(num_attention_heads=2, num_hidden_layers=1, max_position_embeddings=12))
        yield case("same", "hidden_size", "general-names-only", n_embd=LEFT_OUT, n_head=LEFT_OUT, n_layer=LEFT_OUT, **general)
        yield case("refused", "scale_attn_weights", "scale_attn_weights", scale_attn_weights=False)
        yield case("refused", "scale_attn_by_inverse_layer_idx", "inverse-layer", scale_attn_by_inverse_layer_idx=True)
        yield case("refused", "add_cross_attention", "cross", add_cross_attention=True)
        yield case("ignored", "reorder_and_upcast_attn", "reorder", reorder_and_upcast_attn=True)
        yield case("ignored", "rope_scaling", "rotary", rope_theta=50.0, rope_scaling=linear, partial_rotary_factor=0.5)
        yield case("ignored", "head_dim", "head_dim", head_dim=8, num_key_value_heads=1, attention_bias=False)
    if family == "bert":
        yield case("refused", "is_decoder", "is_decoder", is_decoder=True)
        yield case("refused", "add_cross_attention", "cross", is_decoder=False, add_cross_attention=True)
        yield case("refused", "position_embedding_type", "relative", position_embedding_type="relative_key")
        yield case("same", "position_embedding_type", "absolute", position_embedding_type="absolute")
        yield case("understood", "type_vocab_size", "types", type_vocab_size=3)
        yield case("ignored", "rope_scaling", "rotary", rope_theta=50.0, rope_scaling={"type": "linear", "factor": 2.0},
                   is_causal=False, sliding_window=3)
        yield case("same", "chunk_size_feed_forward", "chunked", chunk_size_feed_forward=2, head_dim=8, attention_bias=False,
                   tie_word_embeddings=False)
    if family in GATED_ONES:
        yield from of_gated(family, case)


def of_gated(family, case):
    yield case("understood", "head_dim", "head_dim", head_dim=4 if family == "gemma" else 6)
    yield case("understood", "num_key_value_heads", "one-kv-head", num_key_value_heads=1)
    yield case("refused" if family == "gemma" else "understood", "num_key_value_heads", "kv-null", num_key_value_heads=None)
    # left out, it is as many as heads for Llama, 32 for Qwen2 and 16 for Gemma
    heads = {"llama": {}, "qwen2": dict(num_attention_heads=32, head_dim=2, hidden_size=32),
             "gemma": dict(num_attention_heads=16, head_dim=4)}[family]
    yield case("understood", "num_key_value_heads", "kv-left-out", num_key_value_heads=LEFT_OUT, **heads)
    yield case("ignored", "use_parallel_residual", "neox-keys", use_parallel_residual=True, layer_norm_eps=0.5,
               scale_attn_by_inverse_layer_idx=True, is_decoder=True, add_cross_attention=True, reorder_and_upcast_attn=True)
    if family == "llama":
        for bias in ({"attention_bias": True}, {"mlp_bias": True}, {"attention_bias": True, "mlp_bias": True}):
            yield case("understood", next(iter(bias)), "-".join(bias), **bias)
        yield case("same", "head_dim", "head_dim-null", head_dim=None)
    if family == "gemma":
        yield case("understood", "attention_bias", "attention_bias", attention_bias=True)
        yield case("ignored", "mlp_bias", "mlp_bias", mlp_bias=True)
        yield case("refused", "use_bidirectional_attention", "bidirectional", use_bidirectional_attention=True)
        yield case("same", "hidden_act", "published", hidden_act="gelu", hidden_activation=None, rope_parameters=LEFT_OUT,
                   rope_theta=10000.0, rope_scaling=None)
        yield case("ignored", "hidden_activation", "both-activations", hidden_act="gelu_pytorch_tanh", hidden_activation="gelu")
    if family == "qwen2":
        window = dict(use_sliding_window=True, sliding_window=3)
        yield case("ignored", "attention_bias", "biases", attention_bias=False, mlp_bias=True)
        yield case("refused", "head_dim", "head_dim-null", head_dim=None)
        yield case("understood", "sliding_window", "window", **window, max_window_layers=1)
        yield case("understood", "sliding_window", "window-all", **window, max_window_layers=0)
        yield case("understood", "layer_types", "window-types", **window, layer_types=["sliding_attention", "full_attention"])
        yield case("same", "max_window_layers", "window-nowhere", **window, max_window_layers=2)
        yield case("same", "layer_types", "window-types-full", **window, max_window_layers=0, layer_types=["full_attention"] * 2)
        for name, value in (("wide", 16), ("null", None)):
            yield case("same", "sliding_window", f"window-{name}", use_sliding_window=True, sliding_window=value,
                       max_window_layers=0)
        yield case("same", "sliding_window", "window-unused", sliding_window=3)


def drawn(seed):
    """Returns (family, name, kind, key, changes) with many keys at once, drawn from a seed."""
    draw = random.Random(seed)
    family = list(BASE)[seed % len(BASE)]
    # sizes of heads are drawn below, so that they fit each other
    own = [(kind, key, changes) for f, _, kind, key, changes in cases() if f == family and not any("head" in k for k in changes)]
    changes = {}
    for _, _, more in draw.sample([case for case in own if case[0] != "refused"], 5):
        changes |= more
    refused = ""
    if draw.random() < 0.25:
        _, refused, more = draw.choice([case for case in own if case[0] == "refused"])
        changes |= more
    scaled = [about for about in (changes.get("rope_scaling"), changes.get("rope_parameters")) if isinstance(about, dict)]
    if not refused and family in GATED_ONES and any({about.get("rope_type"), about.get("type")} & set(COMPUTED) for about in scaled):
        # beside scaled positions transformers reads a fraction that it passes over elsewhere, and mostly fails
        refused = "partial_rotary_factor" if any("partial_rotary_factor" in about for about in [changes, *scaled]) else ""
    count = draw.choice((2, 4))
    changes.setdefault("n_head" if family == "gpt2" else "num_attention_heads", count)
    if family in GATED_ONES:
        changes |= {"num_key_value_heads": draw.choice((1, count)), "head_dim": draw.choice((2, 4, 6))}
    changes["vocab_size"] = draw.choice((18, 20, 23))
    changes[EPSILON.get(family, "rms_norm_eps")] = draw.choice((1e-6, 1e-3, 0.1))
    return family, f"{family}-drawn-{seed}", "drawn", refused, changes


def configuration(family, changes):
    """The keys of config.json for some changes to the base."""
    config = {"model_type": family} | BASE[family] | {key: value for key, value in changes.items() if key != "_head"}
    return {key: value for key, value in config.items() if value is not LEFT_OUT}
