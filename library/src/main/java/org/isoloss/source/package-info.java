/** Front ends: from files of other programs to {@link org.isoloss.model.Model}s. They build models and compute nothing. */
@NullMarked
package org.isoloss.source;

import org.jspecify.annotations.NullMarked;
