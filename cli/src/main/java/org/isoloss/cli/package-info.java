/** The {@code isoloss} command. */
@NullMarked
package org.isoloss.cli;

import org.jspecify.annotations.NullMarked;
