package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Moving;
import org.isoloss.model.Subnetwork;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;

/** One figure of each kind, for the tests. */
final class SampleFigures {
    private SampleFigures() {}

    static List<Figure> all() {
        return List.of(drift(), training(), scatter(), contributions(), logits(), errors(), digits(), subnetwork());
    }

    /** Part of the fan of a unit moves, which the rest of the network sees. */
    static Figure subnetwork() {
        DenseNetwork network = new DenseNetwork(
                Activation.TANH,
                List.of(DenseLayer.of(Matrix.zeros(3, 12), new double[3]), DenseLayer.of(Matrix.zeros(2, 3))));
        Moving part = Moving.of(network.model(), List.of("0.weight[1, 0:3]", "2.weight[0, 1]"));
        return new SubnetworkReport("part", Subnetwork.of(part, network.batches(Matrix.zeros(1, 12)))).figure();
    }

    /** Log axis, a band, a reference, values of zero. */
    static Figure drift() {
        double[] t = IntStream.range(0, 61).mapToDouble(i -> (i - 30) / 60.0).toArray();
        double[] learned = new double[61];
        double[] low = new double[61];
        double[] high = new double[61];
        double[] random = new double[61];
        for (int i = 0; i < 61; i++) {
            learned[i] = 4e-4 * t[i] * t[i] + 3e-5 * Math.abs(t[i]);
            low[i] = 0.4 * learned[i];
            high[i] = 2.2 * learned[i];
            random[i] = 0.3 * Math.abs(t[i]);
        }
        return new Figure(
                "drift",
                "Protected outputs along the curve",
                "The learned curve changes the protected outputs a thousand times less than a random translation.",
                LineChart.of(
                        Axis.linear("group parameter t", ""),
                        Axis.log("relative output change", ""),
                        Series.of("learned action (median and range)", Series.Style.LINE, t, learned)
                                .withBand(low, high),
                        Series.of("random translation", Series.Style.REFERENCE, t, random)));
    }

    /** Many lines with markers and dashes. */
    static Figure training() {
        var series = new ArrayList<Series>();
        String[] names = {"invariance", "composition", "inverse", "transport", "scale"};
        for (int k = 0; k < names.length; k++) {
            double[] x = new double[16];
            double[] y = new double[16];
            for (int i = 0; i < 16; i++) {
                x[i] = 1000.0 * i;
                y[i] = (k + 1) * Math.exp(-i / (3.0 + k)) + 0.01 * k;
            }
            series.add(Series.of(names[k], Series.Style.LINE, x, y));
        }
        return new Figure(
                "training",
                "Loss terms during training",
                "All five terms fall.",
                new LineChart(Axis.linear("step", ""), Axis.linear("loss", "units of s"), series));
    }

    static Figure scatter() {
        var random = new SplittableRandom(7);
        double[] x = random.doubles(60).map(u -> Math.pow(10, 6 * u - 8)).toArray();
        double[] y = IntStream.range(0, 60)
                .mapToDouble(i -> x[i] * Math.pow(10, random.nextDouble()))
                .toArray();
        return new Figure(
                "scatter",
                "Bound against error",
                "Every error lies below its bound.",
                LineChart.of(
                        Axis.log("bound", ""), Axis.log("error", ""), Series.of("edits", Series.Style.POINTS, x, y)));
    }

    static Figure contributions() {
        Map<String, Double> heights = new LinkedHashMap<>();
        for (int i = 0; i < 9; i++) {
            heights.put("unit " + (3 * i + 2), i == 0 ? -0.82 : 0.31 * Math.sin(2.0 * i) + 0.1);
        }
        return new Figure(
                "contributions",
                "What each hidden unit adds",
                "The moving unit is opposed by eight others.",
                BarChart.of("hidden unit", Axis.linear("change of its contribution", ""), heights));
    }

    static Figure logits() {
        Map<String, double[]> series = new LinkedHashMap<>();
        series.put("before", new double[] {-2.1, 0.3, 1.2, -0.4, 5.2, 0.1, -1.9, 0.6, 0.2, -0.7});
        series.put("after", new double[] {-2.1, 0.3, 1.2, -0.4, 5.2, 0.1, -1.9, 0.6, 0.2, -0.7});
        return new Figure(
                "logits",
                "Logits of a protected digit",
                "The bars before and after are equal.",
                new BarChart(
                        "digit",
                        Axis.linear("logit", ""),
                        IntStream.range(0, 10).mapToObj(String::valueOf).toList(),
                        series));
    }

    static Figure errors() {
        Matrix cells = Matrix.of(3, 4, 1.2e-5, 3e-5, 9e-5, 2e-4, 4e-5, 9e-5, 2e-4, 8e-4, 2e-4, 8e-4, 3e-3, 9e-3);
        return new Figure(
                "errors",
                "Composition error by radius and factors",
                "The error grows with the radius and with the number of factors.",
                new HeatMap(
                        "factors",
                        List.of("1", "2", "3"),
                        "radius",
                        List.of("0.125", "0.25", "0.5", "1"),
                        Axis.log("composition error", ""),
                        cells));
    }

    static Figure digits() {
        var pictures = new ArrayList<GreyImages.Picture>();
        for (int k = 0; k < 8; k++) {
            Matrix pixels = Matrix.zeros(8, 8);
            for (int i = 0; i < 64; i++) {
                int row = i / 8;
                int column = i % 8;
                double distance = Math.hypot(row - 3.5, column - 3.5);
                pixels.set(row, column, Math.max(0, 16 - 9 * Math.abs(distance - 1 - 0.3 * k)));
            }
            pictures.add(new GreyImages.Picture("digit " + k, pixels));
        }
        return new Figure(
                "digits", "The protected digits", "Eight rings of growing size.", new GreyImages(0, 16, pictures));
    }
}
