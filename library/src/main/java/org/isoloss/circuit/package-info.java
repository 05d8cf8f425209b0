/**
 * Networks written out as arithmetic circuits of single numbers, and what can be said about them without rounding: their
 * scalings, residues of their derivatives, and which fields leave them unchanged as polynomials.
 */
@NullMarked
package org.isoloss.circuit;

import org.jspecify.annotations.NullMarked;
