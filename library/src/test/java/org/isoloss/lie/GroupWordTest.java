package org.isoloss.lie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GroupWordTest {
    private final Generators shears =
            Generators.normalising(List.of(Matrix.of(2, 2, 0, 1, 0, 0), Matrix.of(2, 2, 0, 0, 1, 0)));

    @Test
    void theFactorThatActsFirstStandsRightmost() {
        GroupWord word = GroupWord.parse("1:2,2:3");
        // exp(3 E21) exp(2 E12) = [[1, 0], [3, 1]] [[1, 2], [0, 1]]
        assertThat(word.matrix(shears).entries()).containsExactly(1, 2, 3, 7);
        assertThat(GroupWord.parse("2:3,1:2").matrix(shears).entries()).containsExactly(7, 2, 3, 1);
    }

    @Test
    void parsingReadsEveryForm() {
        assertThat(GroupWord.parse("1:0.2,2:-0.1").factors())
                .containsExactly(new GroupWord.Factor(0, 0.2), new GroupWord.Factor(1, -0.1));
        assertThat(GroupWord.parse(" 1 : +1e-3 , 12:.5").factors())
                .containsExactly(new GroupWord.Factor(0, 1e-3), new GroupWord.Factor(11, 0.5));
        assertThat(GroupWord.parse("exp(-0.5)")).isEqualTo(GroupWord.exp(-0.5));
        assertThat(GroupWord.parse("1:-0.5")).isEqualTo(GroupWord.exp(-0.5)).hasSameHashCodeAs(GroupWord.exp(-0.5));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1:x; x",
                "0:1; 0:1",
                "1:0.2,; ''",
                "''; ''",
                "0.5; 0.5",
                "exp(); ''",
                "exp(1; exp(1",
                "1:NaN; NaN",
                "1:1e999; 1e999",
                "1:0.5f; 0.5f",
                "-1:2; -1:2",
                "9999999999:1; 9999999999:1"
            })
    void whatIsNoWordIsRefused(String text, String part) {
        assertThatThrownBy(() -> GroupWord.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "group word \"%s\": \"%s\" is not understood; write factors such as 1:0.2,2:-0.1 (generators counted from 1, finite coefficients) or exp(0.5)",
                        text, part);
    }

    @Test
    void aGeneratorThatTheGroupLacksIsRefused() {
        assertThatThrownBy(() -> GroupWord.parse("1:0.2,3:0.1").matrix(shears))
                .hasMessage("group word 1:0.2,3:0.1 names generator 3, but the group has 2");
        assertThatThrownBy(() -> new GroupWord.Factor(0, Double.NaN))
                .hasMessage(
                        "group word: generator 0 with coefficient NaN, expected a generator from 0 and a finite coefficient");
    }

    @Test
    void theInverseReversesAndNegates() {
        GroupWord word = GroupWord.parse("1:0.2,2:-0.1,1:0.3");
        assertThat(word.inverse()).hasToString("1:-0.3,2:0.1,1:-0.2");
        assertThat(word.length()).isCloseTo(0.6, within(1e-15));
        assertThat(word.inverse().length()).isCloseTo(0.6, within(1e-15));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void wordsFormAGroup(long seed) {
        var random = new SplittableRandom(seed);
        Generators group = Generators.normalising(List.of(
                Matrix.of(2, 2, random.nextDouble(), 1, random.nextDouble(), -1),
                Matrix.of(2, 2, 1, random.nextDouble(), 0.5, random.nextDouble())));
        var sampler = new WordSampler(WordDistribution.upTo(1.2, 5), 2);
        GroupWord first = sampler.draw(random);
        GroupWord second = sampler.draw(random);
        Matrix product = second.matrix(group).times(first.matrix(group));
        assertThat(first.then(second).matrix(group).minus(product).largestMagnitude())
                .isLessThan(1e-14);
        assertThat(first.then(first.inverse())
                        .matrix(group)
                        .minus(Matrix.identity(2))
                        .largestMagnitude())
                .isLessThan(1e-14);
        assertThat(GroupWord.parse(first.toString())).isEqualTo(first);
    }

    @Test
    void theEmptyWordIsTheIdentity() {
        GroupWord identity = GroupWord.of(List.of());
        assertThat(identity.matrix(shears).entries()).containsExactly(1, 0, 0, 1);
        assertThat(identity.length()).isZero();
        assertThat(GroupWord.parse(identity.toString()).matrix(shears).entries())
                .containsExactly(1, 0, 0, 1);
    }

    @Test
    void coefficientsCountInTheGeneratorsAsTheyAre() {
        Generators rotation = Generators.of(List.of(Matrix.of(2, 2, 0, 1, -1, 0)));
        GroupWord word = GroupWord.exp(0.3);
        double[] expected = {Math.cos(0.3), Math.sin(0.3), -Math.sin(0.3), Math.cos(0.3)};
        assertThat(word.matrix(rotation).entries()).containsExactly(expected, within(1e-15));
        assertThat(word.length()).isEqualTo(0.3);
        assertThat(word.length(rotation)).isEqualTo(0.3 * Math.sqrt(2));
        assertThat(word.length(rotation.normalised())).isEqualTo(0.3);
    }

    @Test
    void aWholeTurnIsTheIdentityAndAHalfOneIsNot() {
        Generators rotation = Generators.of(List.of(Matrix.of(2, 2, 0, 1, -1, 0)));
        assertThat(GroupWord.exp(2 * Math.PI).isIdentity(rotation)).isTrue();
        assertThat(GroupWord.parse("1:3.141592653589793,1:3.141592653589793").isIdentity(rotation))
                .isTrue();
        assertThat(GroupWord.exp(0).isIdentity(rotation)).isTrue();
        assertThat(GroupWord.exp(Math.PI).isIdentity(rotation)).isFalse();
        assertThat(GroupWord.exp(2 * Math.PI).isIdentity(rotation.normalised())).isFalse();
        assertThat(GroupWord.exp(1e-14).isIdentity(rotation)).isFalse();
    }
}
