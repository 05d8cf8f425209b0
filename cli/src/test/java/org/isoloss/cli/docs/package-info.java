/** Runs what README.md and the pages of docs/ say. */
@NullMarked
package org.isoloss.cli.docs;

import org.jspecify.annotations.NullMarked;
