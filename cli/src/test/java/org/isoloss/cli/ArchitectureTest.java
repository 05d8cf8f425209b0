package org.isoloss.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.isoloss");

    private static final ArchRule ONLY_MAIN_EXITS = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(Main.class.getName())
            .should()
            .callMethod(System.class, "exit", int.class);

    private static final ArchRule NOTHING_USES_THE_COMMAND = noClasses()
            .that()
            .resideOutsideOfPackage("org.isoloss.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.isoloss.cli..");

    @Test
    void commandWritesThroughItsWritersOnly() {
        GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CODE);
    }

    @Test
    void onlyMainExits() {
        ONLY_MAIN_EXITS.check(CODE);
        JavaClasses planted = new ClassFileImporter().importClasses(Exits.class);

        assertThatThrownBy(() -> ONLY_MAIN_EXITS.check(planted))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Exits");
    }

    @Test
    void nothingUsesTheCommand() {
        assertThat(CODE.containPackage("org.isoloss.linalg")).isTrue();
        NOTHING_USES_THE_COMMAND.check(CODE);
    }

    /** Exits where it must not; never run. */
    private static final class Exits implements Runnable {
        @Override
        public void run() {
            System.exit(0);
        }
    }
}
