/** Tests of sweeps on Spark. */
@NullMarked
package org.isoloss.spark;

import org.jspecify.annotations.NullMarked;
