/** Networks as functions of their parameters: layers, activations, layouts, supports and compensation sites. */
@NullMarked
package org.isoloss.network;

import org.jspecify.annotations.NullMarked;
