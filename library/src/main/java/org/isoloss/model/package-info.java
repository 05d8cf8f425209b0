/**
 * Networks of any kind as graphs of a dozen primitive operations, and what can be read off them: numbers in float32 and
 * float64, derivatives, exact values, dependence.
 */
@NullMarked
package org.isoloss.model;

import org.jspecify.annotations.NullMarked;
