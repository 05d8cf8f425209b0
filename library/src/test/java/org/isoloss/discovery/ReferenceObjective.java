package org.isoloss.discovery;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The loss of the paper, sample by sample and term by term as its formulas stand: {@code eq:discovery-invariance-loss},
 * {@code eq:discovery-associativity-loss}, {@code eq:discovery-finite-composition-loss},
 * {@code eq:discovery-finite-preservation-loss}, {@code eq:generator-scale-regularizer} and
 * {@code eq:generator-diversity-regularizer}, with the normalisation of the appendix.
 *
 * <p>It is a function of two actions: what is held constant is computed with {@code held}, everything else with
 * {@code moving}. So differences in {@code moving} are derivatives through everything that is not held constant.
 */
final class ReferenceObjective {
    private final List<Sample> samples;
    private final ReferenceTarget target;
    private final RecordedObjective.Weighed weights;
    private final Normalizers normalizers;

    /** A word: its coefficients and generators, the factor that acts first first. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Word(double[] coefficients, int[] indices) {
        double[] of(ReferenceAction action) {
            return action.word(coefficients, indices);
        }
    }

    /**
     * What is drawn for one sample.
     *
     * @param theta the original point
     * @param moving moves theta to the evaluation point; null where that is theta itself
     * @param inner g of the transport residual, g1 of composition and preservation
     * @param outer g2 of composition
     * @param direction index of the test direction h
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Sample(double[] theta, @Nullable Word moving, Word inner, Word outer, int direction) {}

    ReferenceObjective(
            List<Sample> samples, ReferenceTarget target, RecordedObjective.Weighed weights, Normalizers normalizers) {
        this.samples = samples;
        this.target = target;
        this.weights = weights;
        this.normalizers = normalizers;
    }

    /** The terms without their weights. */
    record Terms(
            double invariance,
            double transport,
            double composition,
            double preservation,
            double scale,
            double diversity) {
        double of(String name) {
            return switch (name) {
                case "invariance" -> invariance;
                case "transport" -> transport;
                case "composition" -> composition;
                case "preservation" -> preservation;
                case "scale" -> scale;
                case "diversity" -> diversity;
                default -> throw new IllegalArgumentException("no term is called " + name);
            };
        }
    }

    /** Returns the weighted sum of the terms. */
    double loss(ReferenceAction moving, ReferenceAction held, Set<Held> constants) {
        Terms terms = terms(moving, held, constants);
        return weights.terms().invariance() * weighed(terms.invariance)
                + weights.law().transport() * weighed(terms.transport)
                + weights.law().composition() * weighed(terms.composition)
                + weights.terms().preservation() * weighed(terms.preservation)
                + weights.terms().scale() * terms.scale
                + weights.terms().diversity() * terms.diversity;
    }

    private double weighed(double residual) {
        return weights.terms().adaptive() ? Math.log(1 + 1e12 * residual) : residual;
    }

    Terms terms(ReferenceAction moving, ReferenceAction held, Set<Held> constants) {
        double invariance = 0;
        double transport = 0;
        double composition = 0;
        double preservation = 0;
        for (Sample sample : samples) {
            Drawn drawn = new Drawn(sample, moving, held, constants);
            invariance += square(drawn.invariance(target), normalizers.output());
            transport += square(drawn.transport(), normalizers.motion());
            composition += square(drawn.composition(), normalizers.motion());
            preservation += square(drawn.preservation(target), normalizers.output());
        }
        int count = samples.size();
        return new Terms(
                invariance / count,
                transport / count,
                composition / count,
                preservation / count,
                scale(moving),
                diversity(moving));
    }

    private static double square(double[] residual, double scale) {
        return inner(residual, residual) / (scale * scale);
    }

    private static double inner(double[] left, double[] right) {
        double sum = 0;
        for (int i = 0; i < left.length; i++) {
            sum += left[i] * right[i];
        }
        return sum;
    }

    private double scale(ReferenceAction action) {
        double sum = 0;
        for (int i = 0; i < action.generatorCount(); i++) {
            double excess = meanInner(action, i, i) - 1;
            sum += excess * excess;
        }
        return sum / action.generatorCount();
    }

    private double diversity(ReferenceAction action) {
        int count = action.generatorCount();
        double sum = 0;
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                sum += meanInner(action, i, j) * meanInner(action, i, j);
            }
        }
        return count == 1 ? 0 : 2 * sum / (count * (count - 1.0));
    }

    /** The mean of {@code <v_i, v_j>} over the evaluation points that are original, in units of the target field. */
    private double meanInner(ReferenceAction action, int i, int j) {
        double sum = 0;
        int originals = 0;
        for (Sample sample : samples) {
            if (sample.moving != null) {
                continue;
            }
            originals++;
            double[] left = action.field(action.generator(i), sample.theta);
            double[] right = action.field(action.generator(j), sample.theta);
            sum += inner(left, right);
        }
        return sum / originals / (normalizers.field() * normalizers.field());
    }

    /** The residuals of one sample. */
    private static final class Drawn {
        private final Sample sample;
        private final ReferenceAction moving;
        private final ReferenceAction held;
        private final Set<Held> constants;
        private final double[] x;

        Drawn(Sample sample, ReferenceAction moving, ReferenceAction held, Set<Held> constants) {
            this.sample = sample;
            this.moving = moving;
            this.held = held;
            this.constants = constants;
            ReferenceAction sampler = unless(Held.SAMPLED_POINTS);
            x = sample.moving == null ? sample.theta : sampler.apply(sample.moving.of(sampler), sample.theta);
        }

        private ReferenceAction unless(Held part) {
            return constants.contains(part) ? held : moving;
        }

        private double[] element(Word word) {
            return word.of(unless(Held.EXPONENTIALS));
        }

        double[] invariance(ReferenceTarget target) {
            return target.along(x, moving.field(moving.generator(sample.direction), x))[1];
        }

        double[] transport() {
            double[] g = element(sample.inner);
            double[] h = unless(Held.CARRIED_DIRECTION).generator(sample.direction);
            double[] carried = moving.derivative(g, moving.matrixProduct(h, g), x);
            ReferenceAction mover = unless(Held.POINT_OF_FIELD);
            double[] point = mover.apply(constants.contains(Held.POINT_OF_FIELD) ? sample.inner.of(held) : g, x);
            return minus(carried, moving.field(unless(Held.DIRECTION_OF_FIELD).generator(sample.direction), point));
        }

        double[] composition() {
            double[] first = element(sample.inner);
            double[] second = element(sample.outer);
            ReferenceAction mover = unless(Held.INNER_POINT);
            double[] point = mover.apply(constants.contains(Held.INNER_POINT) ? sample.inner.of(held) : first, x);
            return minus(moving.apply(second, point), moving.apply(moving.matrixProduct(second, first), x));
        }

        double[] preservation(ReferenceTarget target) {
            return minus(target.values(moving.apply(element(sample.inner), x)), target.values(x));
        }

        private static double[] minus(double[] left, double[] right) {
            double[] difference = left.clone();
            for (int i = 0; i < left.length; i++) {
                difference[i] -= right[i];
            }
            return difference;
        }
    }
}
