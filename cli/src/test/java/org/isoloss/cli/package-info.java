/** Tests of the command, all in process through {@code CommandLine.execute}. */
@NullMarked
package org.isoloss.cli;

import org.jspecify.annotations.NullMarked;
