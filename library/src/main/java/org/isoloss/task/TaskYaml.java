package org.isoloss.task;

import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** YAML 1.2 as task files are written in it: the scalars of its core schema, no unknown keys, no key given twice. */
final class TaskYaml {
    static final YAMLMapper MAPPER = YAMLMapper.builder(YAMLFactory.builder()
                    .loadSettings(
                            LoadSettings.builder().setSchema(new Scalars()).build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    private TaskYaml() {}

    /** What a text that is no YAML has wrong, and where. */
    record Problem(long line, String text) {}

    /** The core schema, but for whole numbers that begin with 0: YAML 1.1 reads 017 as 15, 1.2 as 17, so neither is taken. */
    private static final class Scalars extends CoreSchema {
        private static final Pattern OLD_OCTAL = Pattern.compile("[-+]?0[0-9]+");

        @Override
        public ScalarResolver getScalarResolver() {
            ScalarResolver core = super.getScalarResolver();
            return (text, plain) -> plain && OLD_OCTAL.matcher(text).matches() ? Tag.STR : core.resolve(text, plain);
        }
    }

    /** What the parser found wrong, where it is the parser that did. */
    static Optional<Problem> problem(JacksonException e) {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof MarkedYamlEngineException marked
                    && marked.getProblemMark().isPresent()) {
                Mark mark = marked.getProblemMark().get();
                return Optional.of(new Problem(mark.getLine() + 1L, text(marked, mark)));
            }
        }
        return Optional.empty();
    }

    private static String text(MarkedYamlEngineException marked, Mark mark) {
        String problem = marked.getProblem() == null ? "is no YAML" : marked.getProblem();
        if (problem.contains("(TAB)")) {
            return isIndentation(mark) ? "a tab indents; YAML wants spaces" : "a tab separates; give a space";
        }
        return problem.lines().findFirst().orElse("is no YAML").replaceAll("\\. \\(Do not use .*", "");
    }

    private static boolean isIndentation(Mark mark) {
        int[] text = mark.getBuffer();
        for (int at = mark.getPointer() - 1; at >= 0 && text[at] != '\n' && text[at] != '\r'; at--) {
            if (text[at] != ' ' && text[at] != '\t') {
                return false;
            }
        }
        return true;
    }
}
