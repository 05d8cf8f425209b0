/** Sweeps: one task with lists of what varies, every combination a fit with its evaluation, and one table and page of all. */
@NullMarked
package org.isoloss.sweep;

import org.jspecify.annotations.NullMarked;
