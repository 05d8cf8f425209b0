/** Tests of studies. */
@NullMarked
package org.isoloss.reproduce;

import org.jspecify.annotations.NullMarked;
