package org.isoloss.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.GeneralCodingRules;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The rules of the library's packages below {@code root}; the real code has root {@code org.isoloss}. */
record Architecture(String root) {
    /** Each package with the packages it may use; whoever is missing here may use nothing and be used by nobody. */
    static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry("exact", Set.of()),
            // flows that keep what a model computes on a batch
            Map.entry("flow", Set.of("model", "linalg")),
            Map.entry("linalg", Set.of()),
            Map.entry("lie", Set.of("exact", "linalg")),
            Map.entry("autodiff", Set.of("linalg")),
            Map.entry("model", Set.of("autodiff", "linalg")),
            // changes of basis of channels, and what is added unseen, as they follow from a graph alone
            Map.entry("basis", Set.of("model", "autodiff", "linalg")),
            // the changes of a model's parameters that leave its outputs as they are
            Map.entry("symmetry", Set.of("basis", "model", "autodiff", "linalg")),
            // residual streams, turned and folded one tensor at a time
            Map.entry("stream", Set.of("model", "linalg")),
            // front ends: stored networks as models
            Map.entry("source", Set.of("model", "checkpoint", "network", "autodiff", "linalg")),
            Map.entry("network", Set.of("model", "autodiff", "linalg")),
            Map.entry("action", Set.of("model", "network", "lie", "autodiff", "linalg")),
            // takes flows of actions apart into maps of the same network
            Map.entry("decomposition", Set.of("action", "model", "network", "lie", "autodiff", "linalg")),
            Map.entry("checkpoint", Set.of("network", "linalg")),
            Map.entry("discovery", Set.of("action", "model", "network", "lie", "autodiff", "linalg", "checkpoint")),
            // fields of several generators, learned with their brackets
            Map.entry(
                    "fields",
                    Set.of("evaluation", "discovery", "action", "model", "network", "lie", "autodiff", "linalg")),
            Map.entry(
                    "evaluation",
                    Set.of(
                            "discovery",
                            "action",
                            "model",
                            "network",
                            "lie",
                            "autodiff",
                            "linalg",
                            "checkpoint",
                            "source")),
            Map.entry(
                    "task",
                    Set.of(
                            "discovery",
                            "affine",
                            "flow",
                            "symmetry",
                            "basis",
                            "stream",
                            "action",
                            "model",
                            "network",
                            "lie",
                            "autodiff",
                            "linalg",
                            "checkpoint",
                            "source")),
            // models written out as sums, products and functions of single numbers
            Map.entry("circuit", Set.of("model", "network", "exact", "autodiff", "linalg")),
            Map.entry("affine", Set.of("circuit", "lie", "model", "network", "exact", "autodiff", "linalg")),
            Map.entry( // puts what was learned at a site into the whole model and measures it
                    "installation",
                    Set.of(
                            "task",
                            "evaluation",
                            "discovery",
                            "action",
                            "model",
                            "network",
                            "lie",
                            "autodiff",
                            "linalg",
                            "checkpoint",
                            "source")),
            Map.entry(
                    "report",
                    Set.of(
                            "exact",
                            "linalg",
                            "lie",
                            "autodiff",
                            "model",
                            "network",
                            "action",
                            "decomposition",
                            "checkpoint",
                            "discovery",
                            "evaluation",
                            "task",
                            "affine",
                            "installation",
                            "flow",
                            "fields",
                            "symmetry")),
            Map.entry( // many fits of one task, made here or by workers of a cluster
                    "sweep",
                    Set.of(
                            "report",
                            "task",
                            "evaluation",
                            "discovery",
                            "action",
                            "model",
                            "network",
                            "lie",
                            "linalg",
                            "checkpoint")));

    private static final Set<String> EMPTY_WORDS =
            Set.of("util", "utils", "utility", "utilities", "common", "impl", "helper", "helpers", "manager", "misc");

    /** Everything that must hold, by name. */
    Map<String, ArchRule> rules() {
        var rules = new TreeMap<String, ArchRule>();
        rules.put("arrows", arrows());
        rules.put(
                "cycles",
                SlicesRuleDefinition.slices()
                        .matching(root + ".(*)..")
                        .should()
                        .beFreeOfCycles()
                        .allowEmptyShould(true));
        rules.put("standard streams", GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS);
        rules.put("generic exceptions", GeneralCodingRules.NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS);
        rules.put("exit", noClasses().should().callMethod(System.class, "exit", int.class));
        rules.put("hidden randomness", noClasses().should().callMethod(Math.class, "random"));
        rules.put(
                "names",
                noClasses()
                        .should(ArchCondition.from(DescribedPredicate.describe(
                                "be called by an empty word", Architecture::hasEmptyName))));
        return rules;
    }

    private ArchRule arrows() {
        return classes().should(new ArchCondition<>("use only the packages that their own may use") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getDirectDependenciesFromSelf().stream()
                        .filter(Architecture.this::isForbidden)
                        .forEach(arrow -> events.add(SimpleConditionEvent.violated(arrow, arrow.getDescription())));
            }
        });
    }

    private boolean isForbidden(Dependency dependency) {
        String from = packageBelowRoot(dependency.getOriginClass());
        String to = packageBelowRoot(dependency.getTargetClass());
        return !from.equals(to)
                && !to.isEmpty()
                && !MAY_USE.getOrDefault(from, Set.of()).contains(to);
    }

    private static boolean hasEmptyName(JavaClass type) {
        Stream<String> packages = Arrays.stream(type.getPackageName().split("\\.", -1));
        Stream<String> words = Arrays.stream(type.getSimpleName().split("(?<=[a-z0-9])(?=[A-Z])", -1));
        return Stream.concat(packages, words)
                .map(word -> word.toLowerCase(Locale.ROOT))
                .anyMatch(EMPTY_WORDS::contains);
    }

    /** Returns the package below the root that a class belongs to; empty for a class elsewhere. */
    private String packageBelowRoot(JavaClass type) {
        String name = type.getBaseComponentType().getPackageName();
        return name.startsWith(root + ".") ? name.substring(root.length() + 1).split("\\.", 2)[0] : "";
    }

    /** Returns each package that uses others with those it uses, as the classes have it. */
    Map<String, Set<String>> uses(JavaClasses classes) {
        var uses = new TreeMap<String, Set<String>>();
        for (JavaClass type : classes) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String from = packageBelowRoot(type);
                String to = packageBelowRoot(dependency.getTargetClass());
                if (!from.isEmpty() && !to.isEmpty() && !from.equals(to)) {
                    uses.computeIfAbsent(from, name -> new TreeSet<>()).add(to);
                }
            }
        }
        return uses;
    }

    /** Returns the arrows of {@code uses} that no longer way implies, one line each, sorted. */
    static List<String> picture(Map<String, Set<String>> uses) {
        return uses.entrySet().stream()
                .flatMap(from -> from.getValue().stream()
                        .filter(to ->
                                from.getValue().stream().noneMatch(way -> !way.equals(to) && reaches(uses, way, to)))
                        .map(to -> "    " + from.getKey() + " --> " + to))
                .toList();
    }

    private static boolean reaches(Map<String, Set<String>> uses, String from, String to) {
        Set<String> next = uses.getOrDefault(from, Set.of());
        return next.contains(to) || next.stream().anyMatch(way -> reaches(uses, way, to));
    }
}
