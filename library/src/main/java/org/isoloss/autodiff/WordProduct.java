package org.isoloss.autodiff;

import java.util.Arrays;
import java.util.List;

/**
 * The matrices of {@link Words}, differentiated through the exponentials with respect to the generators.
 *
 * <p>All factors of one generator share the powers {@code h^k / k!}: {@code exp(t h) = sum_k t^k h^k / k!}, summed until
 * the remainder is below 1e-18 of the largest term. Generators have norm 1, so |t| is the norm of the exponent; up to
 * |t| = 4 the sum keeps 13 digits. The gradients of the powers are summed over the batch and pulled back to the generator
 * once.
 */
final class WordProduct extends Operation {
    /** Terms of the series; 4^59 / 59! is 2e-45. */
    private static final int MOST_TERMS = 60;

    /** Coefficients beyond this lose digits to cancellation. */
    static final double LARGEST_COEFFICIENT = 4;

    private final Tensor generators;
    private final Words words;
    private final int size;

    WordProduct(Tensor output, Tensor generators, Words words, int size) {
        super(output, List.of(generators));
        this.generators = generators;
        this.words = words;
        this.size = size;
    }

    @Override
    Kernel bind(Arithmetic arithmetic, GradientPlan plan) {
        if (generators.differentiable()) {
            plan.accumulate(generators);
        }
        return new Bound(arithmetic);
    }

    private final class Bound implements Kernel {
        private final Arithmetic numbers;
        private final int area = size * size;
        private final int count = generators.rows();
        /** h^k / k! for each generator and k, and the gradients of these. */
        private final double[] powers = new double[count * MOST_TERMS * area];

        private final double[] powerGradients = new double[powers.length];
        /** exp(t h) of each slot, and the products of the slots up to it. */
        private final double[] factors = new double[words.count() * words.slots() * area];

        private final double[] partial = new double[factors.length];
        private final double[] upstream = new double[area];
        private final double[] work = new double[area];
        private int terms = 1;

        Bound(Arithmetic numbers) {
            this.numbers = numbers;
        }

        @Override
        public void forward() {
            terms = termsFor(words.coefficients());
            for (int g = 0; g < count; g++) {
                fillPowers(g);
            }
            for (int word = 0; word < words.count(); word++) {
                for (int slot = 0; slot < words.slots(); slot++) {
                    int at = (word * words.slots() + slot) * area;
                    exponential(word * words.slots() + slot, at);
                    if (slot == 0) {
                        System.arraycopy(factors, at, partial, at, area);
                    } else {
                        multiply(factors, at, partial, at - area, partial, at);
                    }
                }
                int last = (word * words.slots() + words.slots() - 1) * area;
                for (int i = 0; i < area; i++) {
                    numbers.setValue(output().offset() + word * area + i, partial[last + i]);
                }
            }
        }

        private void fillPowers(int g) {
            int base = g * MOST_TERMS * area;
            Arrays.fill(powers, base, base + area, 0);
            for (int i = 0; i < size; i++) {
                powers[base + i * size + i] = 1;
            }
            for (int i = 0; i < area; i++) {
                work[i] = numbers.value(generators.offset() + g * area + i);
            }
            for (int k = 1; k < terms; k++) {
                int at = base + k * area;
                multiply(work, 0, powers, at - area, powers, at);
                for (int i = 0; i < area; i++) {
                    powers[at + i] /= k;
                }
            }
        }

        private void exponential(int slot, int at) {
            double t = words.coefficients()[slot];
            int base = words.indices()[slot] * MOST_TERMS * area;
            for (int i = 0; i < area; i++) {
                double sum = 0;
                for (int k = terms - 1; k >= 0; k--) {
                    sum = sum * t + powers[base + k * area + i];
                }
                factors[at + i] = sum;
            }
        }

        @Override
        public void backward() {
            Arrays.fill(powerGradients, 0);
            for (int word = 0; word < words.count(); word++) {
                for (int i = 0; i < area; i++) {
                    upstream[i] = numbers.gradient(output().offset() + word * area + i);
                }
                for (int slot = words.slots() - 1; slot >= 0; slot--) {
                    int at = (word * words.slots() + slot) * area;
                    if (slot == 0) {
                        gather(word * words.slots(), upstream);
                    } else {
                        multiplyByTransposed(upstream, partial, at - area, work);
                        gather(word * words.slots() + slot, work);
                        multiplyTransposed(factors, at, upstream, work);
                        System.arraycopy(work, 0, upstream, 0, area);
                    }
                }
            }
            for (int g = 0; g < count; g++) {
                pullBack(g);
            }
        }

        /** Adds the gradient of one exponential to the gradients of its powers. */
        private void gather(int slot, double[] gradient) {
            double t = words.coefficients()[slot];
            int base = words.indices()[slot] * MOST_TERMS * area;
            double power = 1;
            for (int k = 0; k < terms && power != 0; k++) {
                int at = base + k * area;
                for (int i = 0; i < area; i++) {
                    powerGradients[at + i] += power * gradient[i];
                }
                power *= t;
            }
        }

        /** From P_k = h P_(k-1) / k: dh += dP_k P_(k-1)^T / k and dP_(k-1) += h^T dP_k / k. */
        private void pullBack(int g) {
            int base = g * MOST_TERMS * area;
            for (int k = terms - 1; k >= 1; k--) {
                int at = base + k * area;
                for (int i = 0; i < size; i++) {
                    for (int j = 0; j < size; j++) {
                        double toGenerator = 0;
                        double toPower = 0;
                        for (int l = 0; l < size; l++) {
                            toGenerator += powerGradients[at + i * size + l] * powers[at - area + j * size + l];
                            toPower += numbers.value(generators.offset() + g * area + l * size + i)
                                    * powerGradients[at + l * size + j];
                        }
                        int entry = generators.offset() + g * area + i * size + j;
                        numbers.setGradient(entry, numbers.gradient(entry) + toGenerator / k);
                        powerGradients[at - area + i * size + j] += toPower / k;
                    }
                }
            }
        }

        private void multiply(double[] a, int aAt, double[] b, int bAt, double[] c, int cAt) {
            for (int i = 0; i < size; i++) {
                for (int j = 0; j < size; j++) {
                    double sum = 0;
                    for (int k = 0; k < size; k++) {
                        sum += a[aAt + i * size + k] * b[bAt + k * size + j];
                    }
                    c[cAt + i * size + j] = sum;
                }
            }
        }

        /** {@code c = a b^T}. */
        private void multiplyByTransposed(double[] a, double[] b, int bAt, double[] c) {
            for (int i = 0; i < size; i++) {
                for (int j = 0; j < size; j++) {
                    double sum = 0;
                    for (int k = 0; k < size; k++) {
                        sum += a[i * size + k] * b[bAt + j * size + k];
                    }
                    c[i * size + j] = sum;
                }
            }
        }

        /** {@code c = a^T b}. */
        private void multiplyTransposed(double[] a, int aAt, double[] b, double[] c) {
            for (int i = 0; i < size; i++) {
                for (int j = 0; j < size; j++) {
                    double sum = 0;
                    for (int k = 0; k < size; k++) {
                        sum += a[aAt + k * size + i] * b[k * size + j];
                    }
                    c[i * size + j] = sum;
                }
            }
        }
    }

    private static int termsFor(double[] coefficients) {
        double largest = 0;
        for (double coefficient : coefficients) {
            largest = Math.max(largest, Math.abs(coefficient));
        }
        if (!(largest <= LARGEST_COEFFICIENT)) {
            throw new IllegalArgumentException("Words: a coefficient has magnitude %s, expected at most %s"
                    .formatted(largest, LARGEST_COEFFICIENT));
        }
        double term = 1;
        int terms = 1;
        while (terms < MOST_TERMS && term > 1e-18) {
            term *= largest / terms;
            terms++;
        }
        return terms;
    }
}
