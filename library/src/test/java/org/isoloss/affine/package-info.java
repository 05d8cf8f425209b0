@NullMarked
package org.isoloss.affine;

import org.jspecify.annotations.NullMarked;
