package org.isoloss.autodiff;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.BoundGemm;
import org.isoloss.linalg.GemmKernel;

/**
 * The kernels in float32. The float64 kernels are generated from this file: write {@code float}, {@code 0.5f} and
 * {@code (float)} plainly, and nothing that holds for one precision alone.
 *
 * <p>The compiler vectorises a loop only where it can tell that its arrays do not overlap at a distance, so kernels copy
 * stretches into small blocks and run loops that use one index for all of them.
 */
@SuppressWarnings("cast") // casts that float32 needs say nothing in the float64 copy
final class Float32 implements Arithmetic {
    /** Entries of a block: two of them fit in the first-level cache. */
    private static final int BLOCK = 1024;
    /** Entries of which a function is evaluated at a time: long, as each loop begins and ends slowly, but within the cache. */
    private static final int STRETCH = 4096;

    private final GemmKernel kernel;
    private final float[] values;
    private final float[] gradients;
    private final float[] blockA = new float[BLOCK];
    private final float[] blockB = new float[BLOCK];
    /** First derivatives, where a function was applied. */
    private final float[] first;
    /** Second derivatives, from the forward pass of a function to its backward pass; before and after, a place to work. */
    private final float[] second;

    private float[] firstMoments = new float[0];
    private float[] secondMoments = new float[0];
    private final List<BoundGemm> recorded = new ArrayList<>();
    private boolean recording;

    Float32(int size, GemmKernel kernel) {
        this.kernel = kernel;
        values = new float[size];
        gradients = new float[size];
        first = new float[size];
        second = new float[size];
    }

    @Override
    public Product product(Operand a, Operand b, Operand c, int m, int n, int k) {
        BoundGemm product = kernel.bind(array(a), a.place(), array(b), b.place(), array(c), c.place(), m, n, k);
        return accumulate -> {
            if (recording) {
                recorded.add(product);
            }
            product.run(accumulate);
        };
    }

    @Override
    public void recordProducts(boolean record) {
        if (record) {
            recorded.clear();
        }
        recording = record;
    }

    @Override
    public List<BoundGemm> recordedProducts() {
        return recorded;
    }

    private float[] array(Operand operand) {
        return operand.gradient() ? gradients : values;
    }

    @Override
    public double value(int at) {
        return values[at];
    }

    @Override
    public void setValue(int at, double value) {
        values[at] = (float) value;
    }

    @Override
    public void setValues(int at, double[] numbers, int from, int count) {
        for (int i = 0; i < count; i++) {
            values[at + i] = (float) numbers[from + i];
        }
    }

    @Override
    public void copyValues(int at, double[] numbers, int to, int count) {
        for (int i = 0; i < count; i++) {
            numbers[to + i] = values[at + i];
        }
    }

    @Override
    public double gradient(int at) {
        return gradients[at];
    }

    @Override
    public void copyGradients(int at, double[] numbers, int to, int count) {
        for (int i = 0; i < count; i++) {
            numbers[to + i] = gradients[at + i];
        }
    }

    @Override
    public void addGradients(int at, double[] numbers, int from, int count) {
        for (int i = 0; i < count; i++) {
            gradients[at + i] += (float) numbers[from + i];
        }
    }

    @Override
    public void setGradient(int at, double value) {
        gradients[at] = (float) value;
    }

    @Override
    public void clearGradient(int at, int count) {
        Arrays.fill(gradients, at, at + count, 0);
    }

    @Override
    public void clearValue(int at, int count) {
        Arrays.fill(values, at, at + count, 0);
    }

    @Override
    public void copyValue(int from, int to, int count) {
        System.arraycopy(values, from, values, to, count);
    }

    @Override
    public void addScaledValue(double factor, int from, int to, int count) {
        System.arraycopy(values, from, second, to, count);
        addScaled((float) factor, second, values, to, to + count);
    }

    @Override
    public void addScaledGradient(double factor, int from, int to, int count) {
        System.arraycopy(gradients, to, second, from, count);
        addScaled((float) factor, gradients, second, from, from + count);
        System.arraycopy(second, from, gradients, to, count);
    }

    @Override
    public void addScaledValueToGradient(double factor, int from, int to, int count) {
        for (int done = 0; done < count; done += BLOCK) {
            int n = Math.min(BLOCK, count - done);
            System.arraycopy(values, from + done, blockA, 0, n);
            System.arraycopy(gradients, to + done, blockB, 0, n);
            addScaled((float) factor, blockA, blockB, 0, n);
            System.arraycopy(blockB, 0, gradients, to + done, n);
        }
    }

    @Override
    public void addScaledRowsGradient(double factor, int from, int rows, int columns, int to) {
        for (int done = 0; done < columns; done += BLOCK) {
            int n = Math.min(BLOCK, columns - done);
            System.arraycopy(gradients, to + done, blockB, 0, n);
            for (int row = 0; row < rows; row++) {
                System.arraycopy(gradients, from + row * columns + done, blockA, 0, n);
                addScaled((float) factor, blockA, blockB, 0, n);
            }
            System.arraycopy(blockB, 0, gradients, to + done, n);
        }
    }

    private static void addScaled(float factor, float[] x, float[] y, int from, int to) {
        for (int i = from; i < to; i++) {
            y[i] += factor * x[i];
        }
    }

    @Override
    public void pointwise(Pointwise function, int at, int count) {
        for (int done = 0; done < count; done += STRETCH) {
            function.evaluate(values, first, second, at + done, at + Math.min(count, done + STRETCH));
        }
    }

    @Override
    public void pointwiseValues(Pointwise function, int at, int count) {
        for (int done = 0; done < count; done += STRETCH) {
            function.values(values, first, second, at + done, at + Math.min(count, done + STRETCH));
        }
    }

    @Override
    public void pointwiseTangent(int value, int at, int count) {
        System.arraycopy(first, value, first, at, count);
        System.arraycopy(second, value, second, at, count);
        multiplyBoth(values, first, second, at, at + count);
    }

    /** Leaves the products of all that the backward pass needs: x becomes x y, and z becomes x z. */
    private static void multiplyBoth(float[] x, float[] y, float[] z, int from, int to) {
        for (int i = from; i < to; i++) {
            float factor = x[i];
            x[i] = factor * y[i];
            z[i] = factor * z[i];
        }
    }

    @Override
    public void pointwiseBack(int at, int count) {
        multiply(first, gradients, at, at + count);
    }

    @Override
    public void pointwiseTangentBack(int value, int at, int count) {
        multiplyBoth(gradients, first, second, at, at + count);
        System.arraycopy(second, at, second, value, count);
        addScaled(1, second, gradients, value, value + count);
    }

    @Override
    public void passGradient(int from, int to, int count, boolean accumulate) {
        if (accumulate) {
            addScaledGradient(1, from, to, count);
        } else {
            System.arraycopy(gradients, from, gradients, to, count);
        }
    }

    @Override
    public void multiply(int a, int b, int to, int count) {
        for (int done = 0; done < count; done += BLOCK) {
            int n = Math.min(BLOCK, count - done);
            System.arraycopy(values, a + done, blockA, 0, n);
            System.arraycopy(values, b + done, blockB, 0, n);
            multiply(blockA, blockB, 0, n);
            System.arraycopy(blockB, 0, values, to + done, n);
        }
    }

    private static void multiply(float[] x, float[] y, int from, int to) {
        for (int i = from; i < to; i++) {
            y[i] *= x[i];
        }
    }

    @Override
    public void multiplyBack(int upstream, int factor, int to, int count, boolean accumulate) {
        for (int done = 0; done < count; done += BLOCK) {
            int n = Math.min(BLOCK, count - done);
            System.arraycopy(gradients, upstream + done, blockA, 0, n);
            System.arraycopy(values, factor + done, blockB, 0, n);
            multiply(blockA, blockB, 0, n);
            if (accumulate) {
                System.arraycopy(gradients, to + done, blockA, 0, n);
                addScaled(1, blockA, blockB, 0, n);
            }
            System.arraycopy(blockB, 0, gradients, to + done, n);
        }
    }

    @Override
    public void copyColumns(Tensor source, int[] from, Tensor target, int[] to) {
        for (int row = 0; row < source.rows(); row++) {
            int read = source.offset() + row * source.columns();
            int write = target.offset() + row * target.columns();
            for (int i = 0; i < from.length; i++) {
                values[write + to[i]] = values[read + from[i]];
            }
        }
    }

    @Override
    public void addColumnsGradient(Tensor source, int[] from, Tensor target, int[] to) {
        for (int row = 0; row < source.rows(); row++) {
            int read = source.offset() + row * source.columns();
            int write = target.offset() + row * target.columns();
            for (int i = 0; i < from.length; i++) {
                gradients[write + to[i]] += gradients[read + from[i]];
            }
        }
    }

    @Override
    public double innerProduct(int a, int b, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += (double) values[a + i] * values[b + i];
        }
        return sum;
    }

    @Override
    public double squaredGradientNorm(int from, int count) {
        double sum = 0;
        for (int done = 0; done < count; done += BLOCK) {
            sum += sumOfSquares(gradients, from + done, Math.min(BLOCK, count - done));
        }
        return sum;
    }

    /** Eight running sums, so that additions do not wait for one another. */
    private static double sumOfSquares(float[] x, int from, int n) {
        float a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
        int end = from + n;
        int i = from;
        for (; i <= end - 8; i += 8) {
            a += x[i] * x[i];
            b += x[i + 1] * x[i + 1];
            c += x[i + 2] * x[i + 2];
            d += x[i + 3] * x[i + 3];
            e += x[i + 4] * x[i + 4];
            f += x[i + 5] * x[i + 5];
            g += x[i + 6] * x[i + 6];
            h += x[i + 7] * x[i + 7];
        }
        double sum = ((double) a + b) + ((double) c + d) + ((double) e + f) + ((double) g + h);
        for (; i < end; i++) {
            sum += (double) x[i] * x[i];
        }
        return sum;
    }

    @Override
    public void scaleValues(int at, int count, double factor) {
        scale((float) factor, values, at, at + count);
    }

    @Override
    public void scaleGradients(int at, int count, double factor) {
        scale((float) factor, gradients, at, at + count);
    }

    private static void scale(float factor, float[] x, int from, int to) {
        for (int i = from; i < to; i++) {
            x[i] *= factor;
        }
    }

    @Override
    public void prepareMoments(int count) {
        if (firstMoments.length != count) {
            firstMoments = new float[count];
            secondMoments = new float[count];
        }
    }

    @Override
    public void adam(int at, int count, double gradientScale, double rate, double secondCorrection) {
        adam(
                values,
                gradients,
                firstMoments,
                secondMoments,
                at,
                at + count,
                (float) gradientScale,
                (float) rate,
                (float) secondCorrection,
                (float) Adam.FIRST_DECAY,
                (float) Adam.SECOND_DECAY,
                (float) Adam.EPSILON);
    }

    /**
     * A floor of 1e-30 under both moments keeps subnormal numbers, which are many times slower, out of the loop; it moves
     * a weight by at most 1e-21 times the learning rate.
     */
    private static void adam(
            float[] w,
            float[] g,
            float[] m,
            float[] v,
            int from,
            int to,
            float scale,
            float rate,
            float correction,
            float beta1,
            float beta2,
            float epsilon) {
        for (int i = from; i < to; i++) {
            float x = g[i] * scale;
            float first = beta1 * m[i] + (1 - beta1) * x + 1e-30f;
            float second = beta2 * v[i] + (1 - beta2) * x * x + 1e-30f;
            m[i] = first;
            v[i] = second;
            w[i] -= rate * first / ((float) Math.sqrt(second * correction) + epsilon);
        }
    }

    @Override
    public void adamSteps(int at, int count, double rate, double secondDecay, double secondCorrection) {
        Arrays.fill(second, at, at + count, 0);
        adam(
                second,
                gradients,
                firstMoments,
                secondMoments,
                at,
                at + count,
                1,
                (float) rate,
                (float) secondCorrection,
                (float) Adam.FIRST_DECAY,
                (float) secondDecay,
                (float) Adam.EPSILON);
        System.arraycopy(second, at, gradients, at, count);
    }

    @Override
    public double[] moments(int count, boolean second) {
        float[] moments = second ? secondMoments : firstMoments;
        double[] copy = new double[count];
        for (int i = 0; i < Math.min(count, moments.length); i++) {
            copy[i] = moments[i];
        }
        return copy;
    }

    @Override
    public void setMoments(double[] moments, boolean second) {
        float[] copy = new float[moments.length];
        for (int i = 0; i < moments.length; i++) {
            copy[i] = (float) moments[i];
        }
        if (second) {
            secondMoments = copy;
        } else {
            firstMoments = copy;
        }
    }
}
