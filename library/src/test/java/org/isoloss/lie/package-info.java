@NullMarked
package org.isoloss.lie;

import org.jspecify.annotations.NullMarked;
