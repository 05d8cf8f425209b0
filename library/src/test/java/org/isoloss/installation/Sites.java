package org.isoloss.installation;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.task.ModelSetting;
import org.isoloss.task.Setting;
import org.isoloss.task.TaskFile;

/** Sites in small models, with closed-form actions in the place of learned ones. */
final class Sites {
    static final List<Integer> PREFIX = List.of(354, 325, 287, 350, 346, 324, 77, 287);

    private Sites() {}

    /** The trained model among the examples. */
    static Path trained() {
        Path examples = Path.of("examples");
        return (Files.isDirectory(examples) ? examples : Path.of("..").resolve(examples))
                .resolve("neox-wikitext-1.8m")
                .toAbsolutePath();
    }

    /** A random model beside the tests of the forward passes. */
    static Path random(String name) {
        try {
            return Path.of(Objects.requireNonNull(Sites.class.getResource("../transformer/" + name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    static ModelSetting at(Path model, int layer, List<Integer> tokens) throws IOException {
        String text = """
                name: site
                network: {transformer: '%s'}
                data: {tokens: %s}
                site: {layer: %d}
                points: {deviation: 0.2, unit: weights, original: 0.2}
                """.formatted(model, tokens, layer);
        return (ModelSetting) Setting.of(TaskFile.parse("site.yaml", text, Map.of()), model);
    }

    /** A closed-form action along one direction of the incoming weights, as long as {@code speed} times t. */
    static GroupAction action(SiteCoordinates site, double speed, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] direction = new double[site.parameterCount()];
        for (int i = site.outgoingCount(); i < direction.length; i++) {
            direction[i] = random.nextGaussian();
        }
        double norm = Math.sqrt(Arrays.stream(direction).map(x -> x * x).sum());
        Arrays.setAll(direction, i -> direction[i] * speed / norm);
        return CompensatingAction.along(site, List.of(site.incomingPart(direction)));
    }
}
