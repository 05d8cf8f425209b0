/** Rationals, exact elimination and polynomial identities, over the Rings library: what holds here holds as a proof. */
@NullMarked
package org.isoloss.exact;

import org.jspecify.annotations.NullMarked;
