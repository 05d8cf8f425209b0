package org.isoloss.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
    private static final Architecture REAL = new Architecture("org.isoloss");
    private static final JavaClasses LIBRARY = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.isoloss");

    private static final Architecture PLANTED = new Architecture("org.isoloss.architecture.planted");
    private static final JavaClasses VIOLATIONS = new ClassFileImporter().importPackages(PLANTED.root());

    static Set<String> rules() {
        return REAL.rules().keySet();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void libraryKeeps(String rule) {
        Objects.requireNonNull(REAL.rules().get(rule)).check(LIBRARY);
    }

    @ParameterizedTest
    @CsvSource({
        "arrows, planted.lie.UsesNetwork",
        "cycles, planted.network.UsesLie",
        "standard streams, planted.linalg.Prints",
        "generic exceptions, planted.linalg.Prints",
        "exit, planted.linalg.Prints",
        "hidden randomness, planted.linalg.Prints",
        "names, planted.helper.Plain",
        "names, planted.linalg.MatrixUtil"
    })
    void plantedViolationIsSeenBy(String rule, String culprit) {
        assertThatThrownBy(
                        () -> Objects.requireNonNull(PLANTED.rules().get(rule)).check(VIOLATIONS))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(culprit);
    }

    @Test
    void everyPackageIsNamedInTheArrowsAndNullMarked() {
        Set<String> packages = LIBRARY.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());

        assertThat(packages).allSatisfy(name -> {
            assertThat(Architecture.MAY_USE).containsKey(name.substring("org.isoloss.".length()));
            assertThat(LIBRARY.getPackage(name).isAnnotatedWith(NullMarked.class))
                    .as("%s has a package-info.java with @NullMarked", name)
                    .isTrue();
        });
    }

    @Test
    void pictureLeavesOutWhatALongerWayImplies() {
        Map<String, Set<String>> uses =
                Map.of("action", Set.of("network", "linalg", "lie"), "network", Set.of("linalg"));

        assertThat(Architecture.picture(uses))
                .containsExactlyInAnyOrder("    action --> lie", "    action --> network", "    network --> linalg");
    }

    /** The picture in docs/internals/architecture.md; {@code -Dtest.jvm.options=-Dredraw=true} draws it again. */
    @Test
    void pictureShowsTheCode() throws IOException {
        Path page = Path.of("..", "docs", "internals", "architecture.md");
        Pattern block = Pattern.compile("(?s)(```mermaid\\nflowchart TD\\n).*?(\\n```)");
        List<String> real = Architecture.picture(REAL.uses(LIBRARY));
        String written = Files.readString(page);
        String redrawn = block.matcher(written).replaceFirst("$1" + String.join("\n", real) + "$2");
        if (Boolean.getBoolean("redraw")) {
            Files.writeString(page, redrawn);
            return;
        }
        assertThat(written)
                .as(
                        "docs/internals/architecture.md; draw it again with: ./mvnw test -pl library -Dtest=ArchitectureTest"
                                + " -Dtest.jvm.options=-Dredraw=true")
                .isEqualTo(redrawn);
    }
}
