package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says of tensors that a dense network does not use what they look like, and what can be done about them. */
final class StrayTensors {
    private static final int SHOWN = 3;
    private static final Pattern LAST = Pattern.compile("(?:(.*)[./])?([^./]+)", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final Set<String> SCALES = Set.of("weight", "gamma", "scale", "g");
    private static final Set<String> SHIFTS = Set.of("bias", "beta", "shift", "offset", "b");
    private static final Set<String> STATISTICS =
            Set.of("running_mean", "running_var", "moving_mean", "moving_variance", "moving_var");
    private static final String NAME_THEM = "name the biases too: --layers ";
    private static final String FOLD =
            "isoloss computes linear layers with one activation between them, and nothing else; a batch normalisation in eval mode"
                    + " can be folded into the layer before it";

    private final Checkpoint checkpoint;
    private final DenseLayers network;
    private final Map<DenseLayers.Layer, String> biases = new LinkedHashMap<>();

    StrayTensors(Checkpoint checkpoint, DenseLayers network) {
        this.checkpoint = checkpoint;
        this.network = network;
    }

    /** What a tensor looks like and what to do; the latter is empty where only leaving it aside is left. */
    private record Guess(String looks, String advice) {}

    /**
     * Describes tensors in one line.
     *
     * @param names at least one tensor of the file that is not used
     */
    String describe(List<String> names) throws IOException {
        List<String> shown = new ArrayList<>();
        Set<String> advice = new LinkedHashSet<>();
        for (String name : names) {
            StoredTensor tensor = checkpoint.tensor(name);
            Guess guess = guess(name, tensor);
            if (shown.size() < SHOWN) {
                shown.add("%s of shape %s %s".formatted(quoted(name), tensor.shape(), guess.looks()));
                advice.add(guess.advice());
            }
        }
        if (advice.remove(NAME_THEM)) {
            advice.add(NAME_THEM + layers());
        }
        boolean more = names.size() > SHOWN;
        advice.remove("");
        advice.add("what is no part of the function is left aside with --ignore %s%s (in a task network.ignore)"
                .formatted(String.join(",", names.subList(0, Math.min(SHOWN, names.size()))), more ? ",..." : ""));
        return "%s not used: %s%s; %s"
                .formatted(
                        names.size() == 1 ? "a tensor is" : names.size() + " tensors are",
                        String.join("; ", shown),
                        more ? ", and %d more".formatted(names.size() - SHOWN) : "",
                        String.join("; ", advice));
    }

    private Guess guess(String name, StoredTensor tensor) throws IOException {
        Matcher parts = LAST.matcher(name);
        String last = (parts.matches() ? parts.group(2) : name).toLowerCase(Locale.ROOT);
        if (STATISTICS.contains(last)) {
            return new Guess("holds running statistics of a batch normalisation" + place(name), FOLD);
        }
        if (last.equals("num_batches_tracked")) {
            return new Guess("counts the batches of a batch normalisation" + place(name), FOLD);
        }
        if (last.matches("weight_[guv]|original[01]")) {
            return new Guess(
                    "is part of a reparametrised weight",
                    "make it plain before it is saved: torch.nn.utils.parametrize.remove_parametrizations(layer, 'weight')");
        }
        if (last.matches("(weight|bias)_(orig|mask)")) {
            return new Guess(
                    "is part of a pruned weight",
                    "make it plain before it is saved: torch.nn.utils.prune.remove(layer, 'weight')");
        }
        if (name.toLowerCase(Locale.ROOT).contains("lora_")) {
            return new Guess("is part of a low-rank adapter", "merge the adapter before it is saved");
        }
        if (!tensor.type().isFloat()) {
            return new Guess("holds %s, no weights of a layer".formatted(tensor.type()), "");
        }
        return switch (tensor.shape().rank()) {
            case 1 -> vector(name, last, tensor.shape().size(0));
            case 2 ->
                new Guess("looks like the weight of another layer", "every layer must be named, from the input on");
            default -> new Guess("is no part of a dense network", "");
        };
    }

    private Guess vector(String name, String last, long length) throws IOException {
        DenseLayers.Layer owner = withoutBias(name, length);
        boolean shift = SHIFTS.contains(last) || last.startsWith("b");
        boolean scale = SCALES.contains(last);
        if (owner != null && !scale && !isNormalized(name)) {
            biases.put(owner, name);
            return new Guess(
                    "%s the bias of %s"
                            .formatted(
                                    shift || last.endsWith("b") || last.contains("bias") ? "looks like" : "may be",
                                    quoted(owner.names().weight())),
                    NAME_THEM);
        }
        if (shift && !isNormalized(name) && !checkpoint.names().contains(sibling(name, "weight"))) {
            return new Guess("has no weight beside it, and no layer lacks a bias of this length", "");
        }
        if (shift) {
            return new Guess("looks like the shift of a normalisation" + place(name), FOLD);
        }
        if (length == 1 || last.matches("alpha|slopes?|prelu.*")) {
            return new Guess(
                    "looks like the slope of a PReLU" + place(name),
                    "isoloss computes one activation without parameters between the layers");
        }
        return scale
                ? new Guess("looks like the scale of a normalisation" + place(name), FOLD)
                : new Guess("is neither a weight nor a bias of the layers", "");
    }

    /** The layer without a bias that a vector of this length and name fits best. */
    private DenseLayers.@Nullable Layer withoutBias(String name, long length) {
        DenseLayers.Layer found = null;
        for (DenseLayers.Layer layer : network.layers()) {
            if (layer.bias() == null && layer.weight().rows() == length && !biases.containsKey(layer)) {
                if (number(layer.names().weight()).equals(number(name))) {
                    return layer;
                }
                found = found == null ? layer : found;
            }
        }
        return found;
    }

    private static String number(String name) {
        Matcher number = NUMBER.matcher(name);
        return number.find() ? number.group() : "";
    }

    /** Whether a vector stands beside another that is called a scale, or beside running statistics. */
    private boolean isNormalized(String name) throws IOException {
        for (String scale : SCALES) {
            String beside = sibling(name, scale);
            if (!beside.equals(name)
                    && checkpoint.names().contains(beside)
                    && checkpoint.tensor(beside).shape().rank() == 1) {
                return true;
            }
        }
        return checkpoint.names().contains(sibling(name, "running_mean"));
    }

    private static String sibling(String name, String last) {
        Matcher parts = LAST.matcher(name);
        return parts.matches() && parts.group(1) != null ? name.substring(0, parts.start(2)) + last : last;
    }

    /** Between which layers a tensor of a Sequential stands. */
    private String place(String name) {
        String number = number(name);
        String before = null;
        String after = null;
        for (DenseLayers.Layer layer : network.layers()) {
            String weight = layer.names().weight();
            String own = number(weight);
            if (number.isEmpty() || own.isEmpty() || own.length() > 6 || number.length() > 6) {
                return "";
            }
            if (Integer.parseInt(own) < Integer.parseInt(number)) {
                before = weight;
            } else if (after == null) {
                after = weight;
            }
        }
        if (before == null) {
            return after == null ? "" : " before " + quoted(after);
        }
        return after == null
                ? " after " + quoted(before)
                : " between %s and %s".formatted(quoted(before), quoted(after));
    }

    /** The layers as an option names them, with the biases that were found. */
    private String layers() {
        return network.layers().stream()
                .map(layer -> shown(
                        layer.names().weight(),
                        biases.getOrDefault(layer, layer.names().bias())))
                .collect(Collectors.joining(",", "", " (in a task network.names)"));
    }

    private static String shown(String weight, @Nullable String bias) {
        return bias == null || bias.equals(weight.replaceFirst("weight$", "bias")) ? weight : weight + "+" + bias;
    }

    /** Describes a file in which no tensor is the weight of a layer of a Sequential. */
    static String withoutLayers(Checkpoint checkpoint, List<String> names) throws IOException {
        List<String> weights = new ArrayList<>();
        for (String name : names) {
            StoredTensor tensor = checkpoint.tensor(name);
            if (tensor.type().isFloat() && tensor.shape().rank() == 2) {
                weights.add(name);
            }
        }
        if (weights.isEmpty()) {
            return "tensor %s of shape %s has no weight of a layer beside it, expected one of shape (out, in)"
                    .formatted(
                            quoted(names.getFirst()),
                            checkpoint.tensor(names.getFirst()).shape());
        }
        return "tensor %s is not called as in a dense Sequential (0.weight, 0.bias, 2.weight, ...); give the names of the layers"
                        .formatted(quoted(names.getFirst()))
                + " from the input on: --layers %s (in a task network.names)".formatted(String.join(",", weights));
    }
}
