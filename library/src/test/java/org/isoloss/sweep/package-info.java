/** Tests of sweeps. */
@NullMarked
package org.isoloss.sweep;

import org.jspecify.annotations.NullMarked;
