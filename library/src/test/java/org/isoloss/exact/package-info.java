@NullMarked
package org.isoloss.exact;

import org.jspecify.annotations.NullMarked;
