package org.isoloss.evaluation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.network.Calibration;

/**
 * How exact an action is, and whether it counts as a fit: the content of {@code evaluation.json}. The same action, points
 * and stream give the same bytes.
 *
 * @param format version of the file's layout
 * @param calibration s_theta and s_F
 * @param samples in each cell
 * @param cells the finite-action tests, radius by radius
 * @param tolerances each requirement by its name
 * @param nonFinite what was NaN or infinite for some sample; empty where nothing was
 * @param fit whether every requirement is met and everything was finite
 * @param orbits the curves of each generator
 * @param dataDependence on a fresh batch, where one was given
 * @param referenceSpan against a known action, where one was given
 * @param infinitesimalAction how much of the algebra acts, with two generators or more
 * @param bounds measured errors beside their bounds, where they were asked for; they never judge
 * @param yardstick the exact flow in the same tests, where it was asked for; never judges the action
 * @param beyond the errors farther out, where they were asked for; they never judge
 */
public record Evaluation(
        int format,
        Calibration calibration,
        int samples,
        List<ErrorCell> cells,
        Map<String, Requirement> tolerances,
        List<String> nonFinite,
        boolean fit,
        List<Orbits> orbits,
        Optional<DataDependence> dataDependence,
        Optional<ReferenceSpan> referenceSpan,
        Optional<InfinitesimalAction> infinitesimalAction,
        Optional<BoundCheck> bounds,
        Optional<ExactFlow> yardstick,
        Optional<Beyond> beyond) {
    /** The layout that this version writes and reads. */
    public static final int FORMAT = 1;

    /** Keeps collections of its own, and refuses a verdict that does not follow from them. */
    public Evaluation {
        cells = List.copyOf(cells);
        tolerances = Collections.unmodifiableMap(new LinkedHashMap<>(tolerances));
        nonFinite = List.copyOf(nonFinite);
        orbits = List.copyOf(orbits);
        List<String> found = Stream.of(
                        cells.stream().map(ErrorCell::nonFinite),
                        orbits.stream().map(Orbits::nonFinite),
                        dataDependence.stream().map(DataDependence::nonFinite),
                        referenceSpan.stream().map(ReferenceSpan::nonFinite))
                .flatMap(names -> names.flatMap(List::stream))
                .toList();
        if (!nonFinite.equals(found)) {
            throw new IllegalArgumentException(
                    "Evaluation: non-finite %s noted, but the numbers say %s".formatted(nonFinite, found));
        }
        boolean follows = nonFinite.isEmpty() && tolerances.values().stream().allMatch(Requirement::met);
        if (fit != follows) {
            throw new IllegalArgumentException("Evaluation: fit is %s, but %s"
                    .formatted(fit, follows ? "everything is met" : "not everything is met"));
        }
    }

    /**
     * Finds a cell.
     *
     * @param radius of the cell
     * @param factors of the cell
     * @return the cell
     */
    public ErrorCell cell(double radius, int factors) {
        return cells.stream()
                .filter(cell -> cell.radius() == radius && cell.factors() == factors)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "Evaluation: there is no cell of radius %s and %d factors".formatted(radius, factors)));
    }

    /** {@return whether the action fits, {@link #fit}} */
    public boolean fits() {
        return fit;
    }

    /** {@return the requirements that are not met, their names, in order} */
    public List<String> missed() {
        List<String> missed = new ArrayList<>();
        tolerances.forEach((name, requirement) -> {
            if (!requirement.met()) {
                missed.add(name);
            }
        });
        return missed;
    }

    /**
     * Writes the result as JSON, with keys in a fixed order. NaN and infinities are the strings "NaN", "Infinity" and
     * "-Infinity".
     *
     * @return several lines that end with a line break
     */
    public String toJson() {
        return EvaluationJson.write(this);
    }

    /**
     * Reads what {@link #toJson} wrote, without loss.
     *
     * @param json the text
     * @param source how messages call the text, such as its file
     * @return an equal result
     * @throws IllegalArgumentException in one line, when it is not such a text
     */
    public static Evaluation fromJson(String json, String source) {
        return EvaluationJson.read(json, source);
    }

    /**
     * Writes the result to a file, whole or not at all.
     *
     * @param file usually {@code evaluation.json} of a run
     * @throws IOException when it cannot be written
     */
    public void writeTo(Path file) throws IOException {
        AtomicFile.writeText(file, toJson());
    }

    /**
     * Reads a file that {@link #writeTo} wrote.
     *
     * @param file usually {@code evaluation.json} of a run
     * @return an equal result
     * @throws IOException when it cannot be read
     */
    public static Evaluation read(Path file) throws IOException {
        return fromJson(Files.readString(file), file.toString());
    }
}
