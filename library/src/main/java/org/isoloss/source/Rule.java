package org.isoloss.source;

import java.util.List;
import java.util.function.Function;
import org.isoloss.model.Value;

/** What an operator makes of its arguments, added to the model. */
interface Rule {
    /** Returns the results in order; those that are left out at the end are not made. */
    List<TypedValue> apply(Call call);

    /** A rule with one result. */
    static Rule one(Function<Call, TypedValue> result) {
        return call -> List.of(result.apply(call));
    }

    /** A rule with one result, of the type of the first argument. */
    static Rule same(Function<Call, Value> result) {
        return call -> List.of(call.same(result.apply(call)));
    }
}
