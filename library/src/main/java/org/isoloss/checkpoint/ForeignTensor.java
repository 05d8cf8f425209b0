package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Guesses from its name what a tensor is that a transformer does not compute with, and what to do about it.
 *
 * @param what such as "a bias of 'q_proj'"
 * @param advice what to do
 */
public record ForeignTensor(String what, String advice) {
    private static final String REMOVE = "take it out of the file if the model does without it";
    private static final String PLAIN = "save the model with plain weights, as F32, F16 or BF16";

    private static final Rule ADAPTER = new Rule(
            "(^|\\.)(lora_.*|ia3_l|adapter.*|base_layer|modules_to_save|prompt_embeddings|.*\\.lora_[ab])($|\\.)",
            "a low-rank adapter",
            "merge it into its base model first (merge_and_unload)");
    private static final Rule QUANTISED = new Rule(
            "(^|[._])(qweight|qzeros|g_idx|scales?|scale_inv|zero_point|absmax|quant_map|nested_quant_map|quant_state.*|SCB|"
                    + "weight_format|packed)$|\\.weight\\.(absmax|quant_map|quant_state)",
            "a scale or code of a quantised weight",
            PLAIN);
    /** In this order, as the first that fits names the tensor. */
    private static final List<Rule> RULES = List.of(
            ADAPTER,
            QUANTISED,
            new Rule(
                    "(^|[._])(experts?|exps?|shexp|shared_expert.*|block_sparse_moe|router|ffn_gate_inp.*|exp_probs.*)([._]|$)",
                    "a part of a mixture of experts",
                    "only models with one feed-forward block a layer are computed here"),
            new Rule(
                    "(^|\\.)(running_mean|running_var|num_batches_tracked)$",
                    "a running statistic of a batch norm",
                    "no batch norm is computed here"),
            new Rule(
                    "(^|[._])(inv_freq|rope_freqs|rope_factors.*|rotary_emb.*|rot_embd)([._]|$)",
                    "frequencies of rotary positions",
                    "only those of the configuration are computed here"),
            new Rule(
                    "(^|[._])(q|k|query|key|qk)_?(layer)?norm([._]|$)",
                    "a query-key norm",
                    "no attention with such norms is computed here"),
            new Rule(
                    "(^|[._])(.*norm.*|ln_.*|ln\\d*|gamma|beta)([._]|$)",
                    "a normalisation",
                    "none is computed at this place; " + REMOVE),
            new Rule(
                    "^(score|lm_head|embed_out|output|v_head|classifier|qa_outputs|cls|multiple_choice_head|pooler)([._]|$)",
                    "a head, or a part of one, that is not computed here",
                    REMOVE));

    private record Rule(Pattern pattern, String what, String advice) {
        Rule(String pattern, String what, String advice) {
            this(Pattern.compile(pattern), what, advice);
        }

        boolean fits(String name) {
            return pattern.matcher(name).find();
        }
    }

    private static final int MOST_BIASES = 8;
    private static final Pattern LAYER = Pattern.compile("(?:^|\\.)(?:h|layers?|blk)\\.(\\d{1,9})\\.");
    private static final Pattern BIAS = Pattern.compile("([^.]+)\\.bias$");
    /** What wrappers of PyTorch put into the names of all parameters. */
    private static final Pattern WRAPPER = Pattern.compile("(?<=^|\\.)(module|_orig_mod|_fsdp_wrapped_module)\\.");

    /**
     * Recognises a tensor.
     *
     * @param name in the file
     * @param shape said when nothing is recognised
     * @param layers of the model that does not use it
     * @param flag the key of the configuration that denies the bias of a module; empty where none does
     * @return what it looks like
     */
    public static ForeignTensor of(String name, Shape shape, int layers, UnaryOperator<String> flag) {
        Matcher layer = LAYER.matcher(name);
        if (layer.find() && Integer.parseInt(layer.group(1)) >= layers) {
            return new ForeignTensor(
                    "a part of layer %s, beyond the %d of the configuration".formatted(layer.group(1), layers),
                    "set the number of layers right, or take it out of the file");
        }
        Optional<Rule> rule = RULES.stream().filter(one -> one.fits(name)).findFirst();
        if (rule.isPresent()) {
            return new ForeignTensor(rule.get().what(), rule.get().advice());
        }
        Matcher bias = BIAS.matcher(name);
        if (bias.find()) {
            String key = flag.apply(bias.group(1));
            return new ForeignTensor(
                    "a bias of " + quoted(bias.group(1)),
                    key.isEmpty()
                            ? "none is added there; " + REMOVE
                            : "set %s to true in the configuration if the model adds it, otherwise take it out of the file"
                                    .formatted(key));
        }
        return new ForeignTensor("nothing that is known here, of shape " + shape, REMOVE);
    }

    /**
     * Looks among the names of a file for what tells why a tensor is missing.
     *
     * @param names of the file
     * @param missing what was looked for
     * @param gated whether feed-forward blocks have a gate; such models have all biases of a kind or none
     * @return a clause for the end of a message, or "" when nothing tells
     */
    public static String instead(List<String> names, String missing, boolean gated) {
        for (String name : names) {
            String bare = WRAPPER.matcher(name).replaceAll("");
            if (!bare.equals(name) && (bare.equals(missing) || missing.endsWith("." + bare))) {
                return "; it has %s, as DataParallel (module.) and torch.compile (_orig_mod.) name it: strip that with python -c"
                                .formatted(quoted(name))
                        + " \"import re, sys; from safetensors.torch import load_file, save_file;"
                        + " save_file({re.sub(r'(?<![^.])(module|_orig_mod|_fsdp_wrapped_module)[.]', '', k): v"
                        + " for k, v in load_file(sys.argv[1]).items()}, sys.argv[2], {'format': 'pt'})\""
                        + " old.safetensors model.safetensors";
            }
            if (name.endsWith("." + missing)) {
                String prefix = name.substring(0, name.length() - missing.length());
                return "; it has %s: take the prefix %s off all names".formatted(quoted(name), quoted(prefix));
            }
        }
        for (Rule rule : List.of(ADAPTER, QUANTISED)) {
            Optional<String> found = names.stream().filter(rule::fits).findFirst();
            if (found.isPresent()) {
                return "; it has %s, which looks like %s: %s"
                        .formatted(quoted(found.get()), rule.what(), rule.advice());
            }
        }
        if (gated && missing.endsWith(".bias")) {
            Matcher layer = LAYER.matcher(missing);
            String at = layer.find() ? "." + layer.group(1) + "." : "";
            String there = names.stream()
                    .filter(name -> name.endsWith(".bias") && name.contains(at))
                    .limit(MOST_BIASES)
                    .map(CheckpointFormatException::quoted)
                    .collect(Collectors.joining(", "));
            return there.isEmpty() ? "" : "; the biases of that layer are " + there;
        }
        return "";
    }
}
