/** Studies: many fits, kept and shared, the search for a recipe, and the paper's tables and figures made from them. */
@NullMarked
package org.isoloss.reproduce;

import org.jspecify.annotations.NullMarked;
