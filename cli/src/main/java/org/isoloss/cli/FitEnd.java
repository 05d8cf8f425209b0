package org.isoloss.cli;

import java.util.Optional;
import org.isoloss.discovery.Fit;

/** How a fit ended that validation watched, in words. */
final class FitEnd {
    private FitEnd() {}

    /** One line for a fit that was to end when it met every tolerance with a margin; nothing where it has no result. */
    static Optional<String> line(Fit.Outcome outcome, double margin) {
        String largest = outcome.error().isPresent()
                ? "the largest error is %.2f of its limit"
                        .formatted(outcome.error().getAsDouble())
                : "not judged";
        return switch (outcome.stop()) {
            case GOOD_ENOUGH ->
                Optional.of("good enough after %d steps: on validation samples %s, at most %.2f was asked for"
                        .formatted(outcome.step(), largest, 1 / margin));
            case FINISHED ->
                Optional.of(
                        "all %d steps done and not good enough: on validation samples %s, at most %.2f was asked for"
                                .formatted(outcome.step(), largest, 1 / margin));
            case NOT_FINITE -> Optional.empty();
        };
    }
}
