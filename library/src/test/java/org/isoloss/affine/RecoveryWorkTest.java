package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecoveryWorkTest {
    /** What is counted is what an extraction then solves. */
    @Test
    void countsAreThoseOfTheExtraction() {
        Architecture relu = Architecture.relu(8, 8, 8);
        RecoveryWork work = AffineFields.of(relu).work();
        Extraction extraction = Extraction.of(relu, new Sampling(8, 4, 1, 1), ConstraintSolver.GRADED, 1);
        assertThat(work.largestBlock()).isEqualTo(extraction.largestBlock());
        assertThat(work.unknowns()).isEqualTo(extraction.spectrum().size()).isEqualTo(128 * 129);
        assertThat(work.exact()).isTrue();
        assertThat(work.isAffordable()).isTrue();
        RecoveryWork dense =
                AffineFields.of(relu).solver(ConstraintSolver.DENSE).work();
        assertThat(dense.largestBlock()).isEqualTo(128 * 129);
        assertThat(dense.isAffordable()).isFalse();
    }

    /** Twice the width is twice the largest block, eight times the time and four times the memory. */
    @Test
    void timeGrowsWithTheCube() {
        RecoveryWork narrow = AffineFields.of(Architecture.relu(2, 100, 2)).work();
        RecoveryWork wide = AffineFields.of(Architecture.relu(2, 200, 2)).work();
        assertThat(narrow.largestBlock()).isEqualTo(400);
        assertThat(wide.seconds() / narrow.seconds()).isCloseTo(8, within(0.1));
        assertThat(wide.bytes() / narrow.bytes()).isEqualTo(4);
    }

    /** Refused with nothing sampled: no listener hears of a block. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "relu| 200,200,200| relu (200, 200, 200), 80000 parameters: at least 80000 unknowns at once of 6400080000 in all,"
                        + " at least 1138 hours of one core and 614.4 GB; 23000 are the most that can be held: narrow the network,"
                        + " since wider ones have the same families",
                "identity| 2,1000,2| identity (2, 1000, 2), 4000 parameters: at least 4000 unknowns at once of 16004000 in all,"
                        + " at least 9 minutes of one core and 1.5 GB; more than 7 minutes are not begun: narrow the network, since"
                        + " wider ones have the same families, or go on with --go-on",
                "gelu| 6,40,6| gelu (6, 40, 6), 480 parameters: 19200 unknowns at once of 230880 in all, about 16 hours of one core"
                        + " and 35.4 GB; more than 7 minutes are not begun: narrow the network, since wider ones have the same"
                        + " families, or go on with --go-on"
            })
    void largeNetworksAreRefusedAtOnce(String activation, String widths, String message) {
        int[] shape =
                List.of(widths.split(",")).stream().mapToInt(Integer::parseInt).toArray();
        List<Double> shares = new ArrayList<>();
        AffineFields question = AffineFields.of(Architecture.of(HiddenActivation.named(activation), false, shape))
                .progress(shares::add);
        assertThatThrownBy(question::recover)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThat(shares).isEmpty();
    }

    /** What does not fit is refused also where time does not count. */
    @Test
    void goingOnHasItsLimit() {
        AffineFields huge = AffineFields.of(Architecture.relu(200, 200, 200)).unlimited();
        assertThatThrownBy(huge::recover).hasMessageContaining("23000 are the most that can be held");
    }

    @Test
    void progressAddsUpToAllOfIt() {
        List<Double> shares = new ArrayList<>();
        AffineFields.of(Architecture.relu(4, 5, 4))
                .seeds(1, 2)
                .progress(shares::add)
                .recover();
        assertThat(shares).hasSizeGreaterThan(4).allMatch(share -> share > 0);
        assertThat(shares.stream().mapToDouble(Double::doubleValue).sum()).isCloseTo(1, within(1e-12));
    }
}
