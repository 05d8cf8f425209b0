package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.TransformerArchitecture.GPT_NEOX;

import java.util.Optional;

/**
 * What a configuration says about rotary positions. Of keys that say it twice that one counts which counts in transformers: a
 * {@code rope_scaling} that is not empty replaces {@code rope_parameters}, and what either holds comes before the keys beside
 * it. Scaled positions are refused.
 *
 * @param width how many coordinates of a head turn, even
 * @param base of the angles
 * @see "transformers 5.24.0, modeling_rope_utils.py: convert_rope_params_to_dict, and its form for GPT-NeoX"
 */
record RotaryKeys(int width, double base) {
    private static final String OBJECT = "rope_parameters";
    private static final String OLDER_OBJECT = "rope_scaling";
    private static final String FRACTION = "partial_rotary_factor";

    static RotaryKeys of(TransformerArchitecture kind, ConfigKeys keys, int headSize) {
        Optional<ConfigKeys> newer = keys.object(OBJECT);
        Optional<ConfigKeys> object = keys.object(OLDER_OBJECT).or(() -> newer);
        object.ifPresent(RotaryKeys::requirePlain);
        boolean neox = kind == GPT_NEOX;
        String baseKey = neox ? "rotary_emb_base" : "rope_theta";
        double base = from(object, "rope_theta").orElseGet(() -> keys.number(baseKey, 10_000));
        double fraction = neox ? from(object, FRACTION).orElseGet(() -> keys.number("rotary_pct", 0.25)) : 1;
        // a head_dim of GPT-NeoX counts for the angles alone
        int size = neox && keys.isSet("head_dim") ? keys.size("head_dim") : headSize;
        int width = (int) (size * fraction);
        if (fraction <= 0 || fraction > 1 || width % 2 != 0 || width == 0 || width > headSize) {
            throw keys.wrong(
                    "the rotary width is %s = %d (head size times rotary fraction), expected an even number from 2 to %d"
                            .formatted(size + " * " + fraction, width, headSize));
        }
        return new RotaryKeys(width, base);
    }

    private static Optional<Double> from(Optional<ConfigKeys> object, String key) {
        return object.filter(keys -> keys.isThere(key)).map(keys -> keys.number(key, 0));
    }

    private static void requirePlain(ConfigKeys object) {
        object.nested().ifPresent(key -> {
            throw object.notComputed(key, "the same rotary positions in every layer, without objects inside");
        });
        String key = object.isThere("rope_type") || !object.isThere("type") ? "rope_type" : "type";
        String type = object.text(key, "default");
        if (!type.equals("default")) {
            throw object.notComputed(key, "default: scaled rotary positions are not supported");
        }
    }
}
