package org.isoloss.exact;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reduced echelon forms and null spaces against those of SymPy. */
class GoldenMatricesTest {
    static List<JsonNode> cases() throws IOException {
        List<JsonNode> cases = new ArrayList<>();
        try (InputStream file = GoldenMatricesTest.class.getResourceAsStream("matrices.json")) {
            JsonMapper.shared().readTree(file).forEach(cases::add);
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void subspacesAreThoseOfSymPy(JsonNode tested) {
        int columns = tested.get("columns").asInt();
        List<RationalVector> rows = vectors(tested.get("matrix"));
        Subspace span = Subspace.span(columns, rows);
        Subspace zeros = Subspace.nullSpace(columns, rows);
        assertThat(span.basis()).isEqualTo(vectors(tested.get("echelon")));
        assertThat(zeros.basis()).isEqualTo(vectors(tested.get("null_space")));
        assertThat(span.complement()).isEqualTo(zeros);
        ModularRank rank = new ModularRank(columns);
        rows.forEach(row -> rank.add(IntStream.range(0, columns)
                .mapToLong(k -> ModularRank.residue(
                        row.get(k).numerator().longValueExact(),
                        row.get(k).denominator().longValueExact()))
                .toArray()));
        assertThat(rank.rank()).isEqualTo(span.dimension());
    }

    /** One entry of a matrix of rank 2 changed by 1: the echelon form is another. */
    @Test
    void aChangedEntryIsSeen() throws IOException {
        JsonNode tested = cases().get(2);
        List<RationalVector> rows = new ArrayList<>(vectors(tested.get("matrix")));
        rows.set(0, rows.getFirst().plus(RationalVector.unit(rows.getFirst().size(), 3)));
        assertThat(Subspace.span(rows.getFirst().size(), rows).basis()).isNotEqualTo(vectors(tested.get("echelon")));
    }

    private static List<RationalVector> vectors(JsonNode rows) {
        List<RationalVector> vectors = new ArrayList<>();
        for (JsonNode row : rows) {
            vectors.add(RationalVector.of(row.valueStream()
                    .map(entry -> Rationals.parse(entry.asString()))
                    .toList()));
        }
        return vectors;
    }
}
