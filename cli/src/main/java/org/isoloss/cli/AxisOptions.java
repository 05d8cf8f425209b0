package org.isoloss.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.isoloss.source.Bindings;
import picocli.CommandLine.Option;

/** Sizes of axes that a file leaves open, as a mixin. */
final class AxisOptions {
    @Option(
            names = "--bind",
            paramLabel = "AXIS=SIZE",
            description = "Size of an axis that the file leaves open and no data binds; an axis without a name is"
                    + " INPUT:AXIS, such as x:0.")
    private Map<String, Integer> axes = new LinkedHashMap<>();

    /** The sizes that are given. */
    Bindings bindings() {
        Bindings bindings = Bindings.NONE;
        for (Map.Entry<String, Integer> axis : axes.entrySet()) {
            bindings = bindings.axis(axis.getKey(), axis.getValue());
        }
        return bindings;
    }
}
