package org.isoloss.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/**
 * Sums of products by labelled axes, in the notation of Einstein: two tensors at a time.
 *
 * @see "NumPy, einsum"
 */
final class Einsum {
    private static final String SPARE = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private Einsum() {}

    static Value of(Call call, String equation) {
        String text = equation.replace(" ", "");
        int arrow = text.indexOf("->");
        String[] given = (arrow < 0 ? text : text.substring(0, arrow)).split(",", -1);
        if (given.length != call.arguments()) {
            throw call.refused("the equation '%s' for %d tensors", equation, call.arguments());
        }
        if (!text.toLowerCase(Locale.ROOT).equals(text) && text.contains("...")) {
            throw call.refused("the equation '%s' has capital letters beside dots, which is not read", equation);
        }
        List<String> labels = new ArrayList<>();
        List<Value> values = new ArrayList<>();
        String dots = "";
        for (int i = 0; i < given.length; i++) {
            Value value = call.value(i);
            String own = given[i];
            if (own.contains("...")) {
                int count = value.shape().rank() - (own.length() - 3);
                String spare = SPARE.substring(20 - count, 20);
                dots = spare.length() > dots.length() ? spare : dots;
                own = own.replace("...", spare);
            }
            if (own.length() != value.shape().rank() || own.chars().distinct().count() != own.length()) {
                throw call.refused(
                        "the equation '%s' for a tensor of shape %s: expected one letter an axis, each once",
                        equation, value.shape());
            }
            labels.add(own);
            values.add(value);
        }
        String result = arrow < 0
                ? dots + once(String.join("", labels), dots)
                : text.substring(arrow + 2).replace("...", dots);
        dropOnes(call.builder(), labels, values);
        return combined(call.builder(), labels, values, result);
    }

    /** The letters that occur once, in the order of the alphabet. */
    private static String once(String letters, String dots) {
        return letters.chars()
                .filter(letter -> dots.indexOf(letter) < 0 && letters.indexOf(letter) == letters.lastIndexOf(letter))
                .sorted()
                .mapToObj(letter -> String.valueOf((char) letter))
                .collect(Collectors.joining());
    }

    /** An axis of size 1 that another tensor has longer repeats: it goes. */
    private static void dropOnes(ModelBuilder builder, List<String> labels, List<Value> values) {
        for (int i = 0; i < values.size(); i++) {
            for (char label : labels.get(i).toCharArray()) {
                int axis = labels.get(i).indexOf(label);
                boolean longer = values.get(i).shape().size(axis) == 1 && size(labels, values, label) > 1;
                if (longer) {
                    labels.set(i, labels.get(i).replace(String.valueOf(label), ""));
                    values.set(
                            i,
                            builder.reshape(values.get(i), values.get(i).shape().without(List.of(axis))));
                }
            }
        }
    }

    private static int size(List<String> labels, List<Value> values, char label) {
        int size = 1;
        for (int i = 0; i < values.size(); i++) {
            int axis = labels.get(i).indexOf(label);
            size = axis < 0 ? size : Math.max(size, values.get(i).shape().size(axis));
        }
        return size;
    }

    private static Value combined(ModelBuilder builder, List<String> labels, List<Value> values, String result) {
        String have = labels.getFirst();
        Value value = values.getFirst();
        for (int i = 1; i < values.size(); i++) {
            String later = String.join("", labels.subList(i + 1, labels.size())) + result;
            String other = labels.get(i);
            Value second = summed(builder, values.get(i), other, have + later);
            other = kept(other, have + later);
            value = summed(builder, value, have, other + later);
            have = kept(have, other + later);
            String next = kept(have + kept(other, without(other, have)), later);
            value = builder.contract("%s,%s->%s".formatted(have, other, next), value, second);
            have = next;
        }
        value = summed(builder, value, have, result);
        have = kept(have, result);
        String from = have;
        return builder.transpose(value, result.chars().map(from::indexOf).toArray());
    }

    private static String without(String letters, String others) {
        return letters.chars()
                .filter(letter -> others.indexOf(letter) < 0)
                .mapToObj(letter -> String.valueOf((char) letter))
                .collect(Collectors.joining());
    }

    private static String kept(String letters, String wanted) {
        return letters.chars()
                .filter(letter -> wanted.indexOf(letter) >= 0)
                .mapToObj(letter -> String.valueOf((char) letter))
                .collect(Collectors.joining());
    }

    private static Value summed(ModelBuilder builder, Value value, String labels, String wanted) {
        List<Integer> axes = new ArrayList<>();
        for (int axis = 0; axis < labels.length(); axis++) {
            if (wanted.indexOf(labels.charAt(axis)) < 0) {
                axes.add(axis);
            }
        }
        return builder.sumOver(value, axes);
    }
}
