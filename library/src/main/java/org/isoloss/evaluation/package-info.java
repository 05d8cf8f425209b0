/** How exact an action is: finite-action tests, tolerances, generated curves, data dependence and reference directions. */
@NullMarked
package org.isoloss.evaluation;

import org.jspecify.annotations.NullMarked;
