package org.isoloss.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.isoloss.checkpoint.ConfigKeys;
import org.jspecify.annotations.Nullable;

/**
 * How queries and keys turn with the position: the first coordinates of a head in pairs, each by its own angle a position.
 * Of keys that say it twice that one counts which counts in transformers: a {@code rope_scaling} that is not empty replaces
 * {@code rope_parameters}, and what either holds comes before the keys beside it.
 *
 * @param frequencies angle from one position to the next, one a pair
 * @param longer other frequencies of longer texts; null where their length does not matter
 * @param magnitude by which the turned coordinates are multiplied
 * @param neighbours whether a pair are neighbours (GPT-J), and not one of the first half and one of the second
 * @see "transformers 5.24.0, modeling_rope_utils.py"
 */
record HuggingFaceRotary(List<Double> frequencies, @Nullable Longer longer, double magnitude, boolean neighbours) {
    private static final String FRACTION = "partial_rotary_factor";
    private static final String ORIGINAL = "original_max_position_embeddings";

    /**
     * What turns in texts of more tokens than a number, at all their positions.
     *
     * @param tokens of which there are more
     * @param frequencies as above
     */
    record Longer(double tokens, List<Double> frequencies) {}

    private HuggingFaceRotary(List<Double> frequencies, double magnitude, boolean neighbours) {
        this(frequencies, null, magnitude, neighbours);
    }

    /** The rotation of texts of one length. */
    HuggingFaceRotary at(int length) {
        return longer != null && length > longer.tokens
                ? new HuggingFaceRotary(longer.frequencies, magnitude, neighbours)
                : new HuggingFaceRotary(frequencies, magnitude, neighbours);
    }

    /** Returns how many coordinates of a head turn. */
    int width() {
        return 2 * frequencies.size();
    }

    /** Returns the angle of a pair at a position. */
    double angle(int position, int pair) {
        return position * frequencies.get(pair);
    }

    static List<@Nullable HuggingFaceRotary> byLayer(HuggingFaceConfig config, HuggingFaceWindows seen) {
        List<@Nullable HuggingFaceRotary> layers = new ArrayList<>();
        HuggingFaceRotary full = of(config, false);
        HuggingFaceRotary local = config.family().has("localBase") ? of(config, true) : full;
        for (int layer = 0; layer < config.layers(); layer++) {
            layers.add(seen.turned().get(layer) ? seen.sliding().get(layer) ? local : full : null);
        }
        return layers;
    }

    private static @Nullable HuggingFaceRotary of(HuggingFaceConfig config, boolean local) {
        HuggingFaceFamily family = config.family();
        ConfigKeys keys = config.keys();
        return switch (family.text("rotary")) {
            case "none" -> null;
            case "pairs" -> {
                int width = config.size("rotaryWidth");
                if (width % 2 != 0 || width > config.headSize()) {
                    throw keys.wrong(
                            family.keyOf("rotaryWidth"), "an even number from 2 to %d".formatted(config.headSize()));
                }
                yield new HuggingFaceRotary(powers(width, 10_000), 1, true);
            }
            default -> {
                Optional<ConfigKeys> object = family.has("localBase") ? nested(keys, local) : flat(keys);
                yield new Reading(config, object, local).rotary();
            }
        };
    }

    private static Optional<ConfigKeys> flat(ConfigKeys keys) {
        Optional<ConfigKeys> newer = keys.object("rope_parameters");
        Optional<ConfigKeys> object = keys.object("rope_scaling").or(() -> newer);
        object.flatMap(ConfigKeys::nested).ifPresent(key -> {
            throw object.orElseThrow()
                    .notComputed(key, "the same rotary positions in every layer, without objects inside");
        });
        return object;
    }

    /** Gemma 3 has one object for layers with windows and one for those without; the older key is of the latter. */
    private static Optional<ConfigKeys> nested(ConfigKeys keys, boolean local) {
        List<String> types = List.of("full_attention", "sliding_attention");
        Optional<ConfigKeys> newer = keys.object("rope_parameters");
        Optional<ConfigKeys> older = keys.object("rope_scaling");
        if (newer.isPresent() && older.isPresent()) {
            throw keys.notComputed("rope_scaling", "null where there are rope_parameters");
        }
        for (String name : newer.map(ConfigKeys::names).orElse(List.of())) {
            if (!types.contains(name)) {
                throw newer.orElseThrow().notComputed(name, "an object for each of " + String.join(", ", types));
            }
        }
        return older.isPresent()
                ? older.filter(_ -> !local)
                : newer.flatMap(object -> object.object(types.get(local ? 1 : 0)));
    }

    /** Powers of the base, as they were first published: one turn after another slower. */
    private static List<Double> powers(int width, double base) {
        List<Double> powers = new ArrayList<>();
        for (int pair = 0; pair < width / 2; pair++) {
            powers.add(1 / Math.pow(base, 2.0 * pair / width));
        }
        return powers;
    }

    /** One object of the configuration with the keys beside it. */
    private record Reading(HuggingFaceConfig config, Optional<ConfigKeys> object, boolean local) {
        HuggingFaceRotary rotary() {
            HuggingFaceFamily family = config.family();
            ConfigKeys keys = config.keys();
            String type = type();
            double base = from("rope_theta")
                    .orElseGet(() -> config.number(local ? "localBase" : "base").orElseThrow());
            if (base <= 0) {
                throw keys.wrong("the base of rotary angles is %s, expected a finite number above 0".formatted(base));
            }
            boolean partly = family.has("rotaryFraction");
            double fraction = partly
                    ? from(FRACTION)
                            .orElseGet(() -> config.number("rotaryFraction").orElseThrow())
                    : 1;
            if (!partly && !type.equals("default")) {
                requireWhole();
            }
            // a head_dim of GPT-NeoX and StableLM counts for the angles alone
            int size = family.has("turnedSize") ? config.size("turnedSize") : config.headSize();
            int width = (int) (size * fraction);
            if (fraction <= 0 || fraction > 1 || width % 2 != 0 || width == 0 || width > config.headSize()) {
                throw keys.wrong(
                        "the rotary width is %s = %d (head size times rotary fraction), expected an even number from 2 to %d"
                                .formatted(size + " * " + fraction, width, config.headSize()));
            }
            if (family.text("queryKeyNorm").equals("each") && size != config.headSize()) {
                throw keys.notComputed("head_dim", "the hidden size by heads, or none");
            }
            List<Double> plain = divided(powers(width, base), config.divisors());
            return switch (type) {
                case "linear" -> new HuggingFaceRotary(divided(plain, factor()), 1, false);
                case "llama3" -> new HuggingFaceRotary(llama3(plain), 1, false);
                case "yarn" -> yarn(plain, width, base);
                case "longrope" -> longRope(plain);
                default -> new HuggingFaceRotary(plain, 1, false);
            };
        }

        private String type() {
            if (object.isEmpty()) {
                return "default";
            }
            ConfigKeys inner = object.get();
            String key = inner.isThere("rope_type") || !inner.isThere("type") ? "rope_type" : "type";
            String type = inner.text(key, "default");
            List<String> known = config.family().words("rotaryTypes");
            if (!known.contains(type)) {
                throw inner.notComputed(key, String.join(", ", known));
            }
            boolean scaled = !type.equals("default") && config.family().has("rotaryScaling");
            return scaled ? config.family().text("rotaryScaling") : type;
        }

        private Optional<Double> from(String key) {
            return object.filter(inner -> inner.isThere(key)).map(inner -> inner.number(key, 0));
        }

        private double needed(String key) {
            return from(key).orElseThrow(() -> object.orElseThrow().wrong(key, "a finite number"));
        }

        private double factor() {
            double factor = needed("factor");
            if (factor <= 0) {
                throw object.orElseThrow().wrong("factor", "a number above 0");
            }
            return factor;
        }

        private void requireWhole() {
            for (ConfigKeys where : Arrays.asList(object.orElseThrow(), config.keys())) {
                if (where.isThere(FRACTION) && where.number(FRACTION, 1) != 1) {
                    throw where.notComputed(FRACTION, "1 where positions are scaled");
                }
            }
        }

        /** The length before scaling: beside the object it counts first, but for Gemma 3; for Phi-3 there alone. */
        private double original() {
            ConfigKeys keys = config.keys();
            if (config.family().has("original")) {
                return config.positive("original").orElseThrow();
            }
            boolean flat = !config.family().has("localBase");
            double original = flat && keys.isThere(ORIGINAL)
                    ? keys.number(ORIGINAL, 0)
                    : from(ORIGINAL).orElse((double) config.positions());
            if (original <= 0) {
                throw keys.wrong("%s is %s, expected a number above 0".formatted(ORIGINAL, original));
            }
            return original;
        }

        private List<Double> divided(List<Double> frequencies, List<Double> divisors) {
            if (divisors.isEmpty() || local) {
                return frequencies;
            }
            if (divisors.size() != frequencies.size() || divisors.stream().anyMatch(divisor -> !(divisor > 0))) {
                throw config.keys()
                        .wrong("the factors of rotary frequencies are %d, expected %d numbers above 0"
                                .formatted(divisors.size(), frequencies.size()));
            }
            return IntStream.range(0, divisors.size())
                    .mapToObj(pair -> frequencies.get(pair) / divisors.get(pair))
                    .toList();
        }

        private static List<Double> divided(List<Double> frequencies, double factor) {
            return frequencies.stream().map(frequency -> frequency / factor).toList();
        }

        private List<Double> llama3(List<Double> plain) {
            double factor = factor();
            double low = needed("low_freq_factor");
            double high = needed("high_freq_factor");
            double original = original();
            return plain.stream()
                    .map(frequency -> {
                        double turns = original / (2 * Math.PI / frequency);
                        if (turns > high) {
                            return frequency;
                        }
                        if (turns < low) {
                            return frequency / factor;
                        }
                        double smooth = (turns - low) / (high - low);
                        return (1 - smooth) * frequency / factor + smooth * frequency;
                    })
                    .toList();
        }

        private HuggingFaceRotary yarn(List<Double> plain, int width, double base) {
            ConfigKeys inner = object.orElseThrow();
            double original = original();
            if (!inner.isThere("factor")) {
                throw inner.wrong("factor", "a finite number");
            }
            double factor = inner.isSet("factor") ? factor() : config.positions() / original;
            double low = correction(or("beta_fast", 32), width, base, original);
            double high = correction(or("beta_slow", 1), width, base, original);
            if (config.family().has("localBase") || inner.flag("truncate", true)) {
                low = Math.floor(low);
                high = Math.ceil(high);
            }
            low = Math.max(low, 0);
            high = Math.min(high, width - 1.0);
            double span = low == high ? 0.001 : high - low;
            List<Double> scaled = new ArrayList<>();
            for (int pair = 0; pair < plain.size(); pair++) {
                double ramp = Math.clamp((pair - low) / span, 0.0, 1.0);
                scaled.add(plain.get(pair) / factor * ramp + plain.get(pair) * (1 - ramp));
            }
            return new HuggingFaceRotary(scaled, magnitude(factor), false);
        }

        /** Each frequency by a factor of its own, which are others in long texts. */
        private HuggingFaceRotary longRope(List<Double> plain) {
            double original = original();
            double factor = set("factor").orElse(config.positions() / original);
            double usual = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(original));
            return new HuggingFaceRotary(
                    slower(plain, "short_factor"),
                    new Longer(original, slower(plain, "long_factor")),
                    set("attention_factor").orElse(usual),
                    false);
        }

        private List<Double> slower(List<Double> plain, String key) {
            ConfigKeys inner = object.orElseThrow();
            List<Double> factors = inner.numbers(key);
            if (factors.size() != plain.size() || factors.stream().anyMatch(factor -> factor <= 0)) {
                throw inner.wrong(key, "%d numbers above 0, one for each pair that turns".formatted(plain.size()));
            }
            return IntStream.range(0, factors.size())
                    .mapToObj(pair -> plain.get(pair) / factors.get(pair))
                    .toList();
        }

        private double magnitude(double factor) {
            OptionalDouble given = set("attention_factor");
            if (given.isPresent()) {
                return given.getAsDouble();
            }
            double scale = set("mscale").orElse(0);
            double all = set("mscale_all_dim").orElse(0);
            return scale != 0 && all != 0 ? growth(factor, scale) / growth(factor, all) : growth(factor, 1);
        }

        private static double growth(double factor, double scale) {
            return factor <= 1 ? 1 : 0.1 * scale * Math.log(factor) + 1;
        }

        private static double correction(double turns, int width, double base, double original) {
            return width * Math.log(original / (turns * 2 * Math.PI)) / (2 * Math.log(base));
        }

        private OptionalDouble set(String key) {
            ConfigKeys inner = object.orElseThrow();
            return inner.isSet(key) ? OptionalDouble.of(inner.number(key, 0)) : OptionalDouble.empty();
        }

        private double or(String key, double usual) {
            double given = set(key).orElse(0);
            return given == 0 ? usual : given;
        }
    }
}
