package org.isoloss.affine;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.isoloss.exact.RationalMatrix;
import org.isoloss.exact.RationalVector;
import org.isoloss.exact.Rationals;
import org.isoloss.exact.Subspace;
import org.isoloss.network.ParameterLayout;

/**
 * Fields of a known kind that act on one hidden layer and preserve all outputs for a reason that can be read.
 *
 * @param kind what they are
 * @param layer the hidden layer, from 0
 * @param generators each with a name
 */
record ReferenceFamily(Kind kind, int layer, List<Generator> generators) {
    /** Why a family preserves the outputs. */
    enum Kind {
        /** {@code f(r z) = r^d f(z)}: incoming weights and bias of a unit times r, outgoing weights times r^-d. */
        RESCALINGS("hidden-unit rescalings"),

        /** A linear layer: {@code (G W, G b)} before it and {@code W' G^-1} behind it. */
        BASIS_CHANGES("hidden-basis changes"),

        /** A linear layer between biases: {@code b + v} before it and {@code b' - W' v} behind it. */
        TRANSLATIONS("hidden translations");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /**
     * One field of a family.
     *
     * @param name in words
     * @param to the unit that receives, from 0
     * @param from the unit that is added to it, from 0; {@code to} itself for rescalings and translations
     * @param field exactly
     */
    record Generator(String name, int to, int from, AffineField field) {}

    ReferenceFamily {
        generators = List.copyOf(generators);
    }

    int dimension() {
        return generators.size();
    }

    Subspace span(int parameterCount) {
        return Subspace.span(
                parameterCount * (parameterCount + 1),
                generators.stream()
                        .map(generator -> generator.field().flatten())
                        .toList());
    }

    /** All families of a network, hidden layer by hidden layer. */
    static List<ReferenceFamily> of(Architecture architecture) {
        List<ReferenceFamily> families = new ArrayList<>();
        for (int layer = 0; layer < architecture.layerCount() - 1; layer++) {
            int degree = architecture.activations().get(layer).degree();
            if (degree == 0) {
                continue;
            }
            if (!architecture.activations().get(layer).equals(HiddenActivation.IDENTITY)) {
                families.add(rescalings(architecture, layer, degree));
                continue;
            }
            families.add(basisChanges(architecture, layer));
            if (architecture.biased().get(layer) && architecture.biased().get(layer + 1)) {
                families.add(translations(architecture, layer));
            }
        }
        return families;
    }

    private static ReferenceFamily rescalings(Architecture architecture, int layer, int degree) {
        List<Generator> generators = new ArrayList<>();
        for (int unit = 0; unit < architecture.widths().get(layer + 1); unit++) {
            generators.add(new Generator(
                    "rescaling of unit %d of hidden layer %d".formatted(unit + 1, layer + 1),
                    unit,
                    unit,
                    mixing(architecture, layer, unit, unit, degree)));
        }
        return new ReferenceFamily(Kind.RESCALINGS, layer, generators);
    }

    private static ReferenceFamily basisChanges(Architecture architecture, int layer) {
        List<Generator> generators = new ArrayList<>();
        int width = architecture.widths().get(layer + 1);
        for (int to = 0; to < width; to++) {
            for (int from = 0; from < width; from++) {
                generators.add(new Generator(
                        "E%d,%d on hidden layer %d".formatted(to + 1, from + 1, layer + 1),
                        to,
                        from,
                        mixing(architecture, layer, to, from, 1)));
            }
        }
        return new ReferenceFamily(Kind.BASIS_CHANGES, layer, generators);
    }

    /** Adds what unit {@code from} receives to unit {@code to}; behind, {@code degree} times the opposite. */
    private static AffineField mixing(Architecture architecture, int layer, int to, int from, int degree) {
        FieldBuilder field = new FieldBuilder(architecture);
        ParameterLayout layout = architecture.layout();
        ParameterLayout.Entry before = layout.weight(layer);
        ParameterLayout.Entry behind = layout.weight(layer + 1);
        for (int k = 0; k < before.columns(); k++) {
            field.add(before.index(to, k), before.index(from, k), 1);
        }
        layout.bias(layer).ifPresent(bias -> field.add(bias.index(to, 0), bias.index(from, 0), 1));
        for (int m = 0; m < behind.rows(); m++) {
            field.add(behind.index(m, from), behind.index(m, to), -degree);
        }
        return field.build();
    }

    private static ReferenceFamily translations(Architecture architecture, int layer) {
        List<Generator> generators = new ArrayList<>();
        ParameterLayout layout = architecture.layout();
        ParameterLayout.Entry behind = layout.weight(layer + 1);
        for (int unit = 0; unit < architecture.widths().get(layer + 1); unit++) {
            FieldBuilder field = new FieldBuilder(architecture);
            field.add(layout.bias(layer).orElseThrow().index(unit, 0), architecture.parameterCount(), 1);
            for (int m = 0; m < behind.rows(); m++) {
                field.add(layout.bias(layer + 1).orElseThrow().index(m, 0), behind.index(m, unit), -1);
            }
            generators.add(new Generator(
                    "translation of unit %d of hidden layer %d".formatted(unit + 1, layer + 1),
                    unit,
                    unit,
                    field.build()));
        }
        return new ReferenceFamily(Kind.TRANSLATIONS, layer, generators);
    }

    private static final class FieldBuilder {
        private final int parameterCount;
        private final NavigableMap<Integer, Rational<BigInteger>> entries = new TreeMap<>();

        FieldBuilder(Architecture architecture) {
            this.parameterCount = architecture.parameterCount();
        }

        /** The derivative of parameter a gets {@code value} times parameter b, or times 1 where b is p. */
        void add(int a, int b, int value) {
            entries.put(a * (parameterCount + 1) + b, Rationals.of(value));
        }

        AffineField build() {
            return AffineField.of(RationalMatrix.of(
                    parameterCount,
                    parameterCount + 1,
                    RationalVector.of(parameterCount * (parameterCount + 1), entries)));
        }
    }
}
