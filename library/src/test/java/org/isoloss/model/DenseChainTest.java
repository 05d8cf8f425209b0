package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Function;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

class DenseChainTest {
    private final ModelBuilder builder = Model.builder();
    private final Layers layers = new Layers(builder);
    private final Value input = builder.input("x", 5, 2, 2);
    private final Value flat = builder.reshape(input, Dimensions.of(5, 4));

    private Value parameter(String name, int... sizes) {
        Dimensions shape = Dimensions.of(sizes);
        return builder.parameter(name, shape, Numbers.of(new double[shape.count()]));
    }

    private List<DenseChain.Layer> chain(Function<Value, Value> rest) {
        Value hidden = builder.apply(
                Activation.TANH, layers.linear(flat, parameter("first", 3, 4), parameter("first bias", 3)));
        builder.output("y", rest.apply(hidden));
        return DenseChain.of(builder.build()).orElse(List.of());
    }

    /** A weight of shape (out, in), one of shape (in, out) and one that is transposed on its way. */
    @Test
    void layersAreReadFromTheInputOn() {
        List<DenseChain.Layer> read = chain(hidden -> {
            Value next = builder.contract("ij,jk->ik", hidden, parameter("second", 3, 2));
            Value turned = builder.transpose(parameter("third", 2, 6), 1, 0);
            return layers.linear(builder.apply(Clamp.RELU, next), turned, null);
        });
        assertThat(read).extracting(DenseChain.Layer::outputs).containsExactly(3, 2, 6);
        assertThat(read).extracting(layer -> layer.weight().where()).containsExactly("first", "second", "third");
        assertThat(read).extracting(DenseChain.Layer::transposed).containsExactly(false, true, true);
        assertThat(read).extracting(layer -> layer.bias() == null).containsExactly(false, true, true);
        assertThat(read).extracting(DenseChain.Layer::function).containsExactly(Activation.TANH, Clamp.RELU, null);
        assertThat(read.getFirst().received()).isEqualTo(flat);
    }

    @Test
    void modelsWithAnythingElseAreNone() {
        Value square = parameter("square", 3, 3);
        assertThat(chain(hidden -> builder.plus(hidden, layers.linear(hidden, square, null))))
                .isEmpty(); // a skip
    }

    @Test
    void tensorsThatAreUsedTwiceAreNone() {
        Value square = parameter("square", 3, 3);
        assertThat(chain(hidden -> layers.linear(layers.linear(hidden, square, null), square, null)))
                .isEmpty();
    }

    @Test
    void tensorsThatAreNotUsedAreNone() {
        parameter("left aside", 3);
        assertThat(chain(hidden -> layers.linear(hidden, parameter("last", 2, 3), null)))
                .isEmpty();
    }

    @Test
    void scaledBiasesAreNone() {
        assertThat(chain(hidden -> builder.sum(
                        List.of(1.0, 2.0),
                        List.of(layers.linear(hidden, parameter("last", 2, 3), null), parameter("bias", 2)))))
                .isEmpty();
    }
}
