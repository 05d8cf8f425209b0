package org.isoloss.task;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.isoloss.flow.WeightGrid;

/** Where a move goes. */
public sealed interface MoveDirection {
    /** {@return what is shown of it on the way, in words} */
    String shown();

    /** {@return whether it goes on for ever, so that a distance has to be asked for} */
    default boolean isEndless() {
        return false;
    }

    /**
     * A random direction of what the protected inputs see.
     *
     * @param seed of it
     */
    record Random(long seed) implements MoveDirection {
        @Override
        public String shown() {
            return "progress along the direction, of the moving norm";
        }

        @Override
        public boolean isEndless() {
            return true;
        }
    }

    /**
     * A direction out of a file.
     *
     * @param file with an array of its shape for each tensor that moves
     */
    record Stored(Path file) implements MoveDirection {
        @Override
        public String shown() {
            return "progress along the direction, of the moving norm";
        }

        @Override
        public boolean isEndless() {
            return true;
        }
    }

    /** To a smaller norm. */
    record SmallerNorm() implements MoveDirection {
        @Override
        public String shown() {
            return "norm of the moving weights, of what it was";
        }
    }

    /** To fewer large weights. */
    record Sparser() implements MoveDirection {
        @Override
        public String shown() {
            return "share of the moving weights that are nearly 0";
        }
    }

    /**
     * To weights of which a narrower type keeps the protected outputs better.
     *
     * @param kind of type
     */
    record LessRounding(WeightGrid.Kind kind) implements MoveDirection {
        @Override
        public String shown() {
            return "change of the protected outputs by rounding to %s"
                    .formatted(kind.name().toLowerCase(Locale.ROOT));
        }
    }

    /**
     * To a smaller or larger loss on other inputs.
     *
     * @param inputs with the model
     * @param labels the class of each
     * @param increases whether it is to grow
     */
    record Loss(ModelBatch inputs, List<Integer> labels, boolean increases) implements MoveDirection {
        /** Keeps its own list. */
        public Loss {
            labels = List.copyOf(labels);
        }

        @Override
        public String shown() {
            return "loss on the other inputs";
        }
    }
}
