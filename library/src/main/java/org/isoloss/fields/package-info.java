/** Fields of several generators learned together, with their brackets as part of the objective; what they are, and their action. */
@NullMarked
package org.isoloss.fields;

import org.jspecify.annotations.NullMarked;
