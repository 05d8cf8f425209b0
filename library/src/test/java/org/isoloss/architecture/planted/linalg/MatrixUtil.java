package org.isoloss.architecture.planted.linalg;

/** Its name says nothing. */
final class MatrixUtil {
    private MatrixUtil() {}
}
