package org.isoloss.network;

/**
 * Smooth activations in float32 by rational approximations, in loops that the compiler vectorises: no branch, no call
 * that it does not inline, few enough operations each. Values and derivatives are within 1e-6 of the exact ones.
 *
 * <p>The coefficients are the published minimax ones of tanh on [-7.9, 7.9] and of erf on [-4, 4] that linear algebra
 * libraries use (Eigen, {@code MathFunctionsImpl.h}).
 */
@SuppressWarnings("FloatingPointLiteralPrecision") // the published digits, rounded by the compiler
final class FastActivation {
    private static final float TANH_LIMIT = 7.90531110763549805f;
    private static final float ERF_LIMIT = 4;
    private static final float ROOT_HALF = (float) Math.sqrt(0.5);
    private static final float DENSITY = (float) (1 / Math.sqrt(2 * Math.PI));

    private FastActivation() {}

    static void silu(float[] z, float[] value, float[] first, float[] second, int count) {
        tanhOf(0.5f, z, value, count);
        for (int i = 0; i < count; i++) {
            float s = 0.5f + 0.5f * value[i];
            float rest = 1 - s;
            float y = z[i] * s;
            value[i] = y;
            first[i] = s + y * rest;
            second[i] = s * rest * (2 + z[i] * (rest - s));
        }
    }

    static void sigmoid(float[] z, float[] value, float[] first, float[] second, int count) {
        tanhOf(0.5f, z, value, count);
        for (int i = 0; i < count; i++) {
            float s = 0.5f + 0.5f * value[i];
            float slope = s * (1 - s);
            value[i] = s;
            first[i] = slope;
            second[i] = slope * (1 - 2 * s);
        }
    }

    static void tanh(float[] z, float[] value, float[] first, float[] second, int count) {
        tanhOf(1, z, value, count);
        for (int i = 0; i < count; i++) {
            float y = value[i];
            float slope = 1 - y * y;
            first[i] = slope;
            second[i] = -2 * y * slope;
        }
    }

    static void gelu(float[] z, float[] value, float[] first, float[] second, int count) {
        density(z, second, count);
        erfOf(z, value, count);
        for (int i = 0; i < count; i++) {
            float distribution = 0.5f + 0.5f * value[i];
            float density = second[i];
            value[i] = z[i] * distribution;
            first[i] = distribution + z[i] * density;
            second[i] = density * (2 - z[i] * z[i]);
        }
    }

    /** result = tanh(scale z); the two absolute values clamp to the limits. */
    private static void tanhOf(float scale, float[] z, float[] result, int count) {
        for (int i = 0; i < count; i++) {
            float x = scale * z[i];
            x = 0.5f * (Math.abs(x + TANH_LIMIT) - Math.abs(x - TANH_LIMIT));
            float square = x * x;
            float p = Math.fma(-2.76076847742355e-16f, square, 2.00018790482477e-13f);
            p = Math.fma(p, square, -8.60467152213735e-11f);
            p = Math.fma(p, square, 5.12229709037114e-08f);
            p = Math.fma(p, square, 1.48572235717979e-05f);
            p = Math.fma(p, square, 6.37261928875436e-04f);
            p = Math.fma(p, square, 4.89352455891786e-03f);
            float q = Math.fma(1.19825839466702e-06f, square, 1.18534705686654e-04f);
            q = Math.fma(q, square, 2.26843463243900e-03f);
            q = Math.fma(q, square, 4.89352518554385e-03f);
            result[i] = x * p / q;
        }
    }

    /** result = erf(z / sqrt 2). */
    private static void erfOf(float[] z, float[] result, int count) {
        for (int i = 0; i < count; i++) {
            float x = ROOT_HALF * z[i];
            x = 0.5f * (Math.abs(x + ERF_LIMIT) - Math.abs(x - ERF_LIMIT));
            float square = x * x;
            float p = Math.fma(-2.72614225801306e-10f, square, 2.77068142495902e-08f);
            p = Math.fma(p, square, -2.10102402082508e-06f);
            p = Math.fma(p, square, -5.69250639462346e-05f);
            p = Math.fma(p, square, -7.34990630326855e-04f);
            p = Math.fma(p, square, -2.95459980854025e-03f);
            p = Math.fma(p, square, -1.60960333262415e-02f);
            float q = Math.fma(-1.45660718464996e-05f, square, -2.13374055278905e-04f);
            q = Math.fma(q, square, -1.68282697438203e-03f);
            q = Math.fma(q, square, -7.37332916720468e-03f);
            q = Math.fma(q, square, -1.42647390514189e-02f);
            result[i] = x * p / q;
        }
    }

    /** The normal density: exp(-u) = (1 - t) / (1 + t) with t = tanh(u / 2). */
    private static void density(float[] z, float[] result, int count) {
        for (int i = 0; i < count; i++) {
            result[i] = z[i] * z[i];
        }
        tanhOf(0.25f, result, result, count);
        for (int i = 0; i < count; i++) {
            float t = result[i];
            result[i] = DENSITY * (1 - t) / (1 + t);
        }
    }
}
