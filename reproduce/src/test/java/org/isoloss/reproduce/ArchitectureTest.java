package org.isoloss.reproduce;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.isoloss.reproduce");

    static List<ArchRule> rules() {
        return List.of(
                GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS,
                GeneralCodingRules.NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS,
                noClasses().should().callMethod(System.class, "exit", int.class),
                noClasses().should().callMethod(Math.class, "random"),
                classes().should().resideInAPackage("org.isoloss.reproduce"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void studiesKeep(ArchRule rule) {
        rule.check(CODE);
    }
}
