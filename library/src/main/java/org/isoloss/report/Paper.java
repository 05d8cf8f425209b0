package org.isoloss.report;

/**
 * The size of a drawing on paper.
 *
 * @param width in points of 1/72 inch
 * @param height in points
 * @param unit length of a unit of the drawing, in points
 */
record Paper(double width, double height, double unit) {}
