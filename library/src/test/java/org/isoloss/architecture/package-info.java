/** Which package may use which, and what no class may do, held by tests. */
@NullMarked
package org.isoloss.architecture;

import org.jspecify.annotations.NullMarked;
