/** Sweeps on Apache Spark: a fit is a task, its folder on a file system that all share is where it goes on after a loss. */
@NullMarked
package org.isoloss.spark;

import org.jspecify.annotations.NullMarked;
