package org.isoloss.affine;

import java.util.List;

/**
 * What the verifier found.
 *
 * @param name of the algebra, as the certificate has it; a name is not a claim that can be checked
 * @param dimension as the certificate claims
 * @param checks one for each claim
 */
public record CertificateReport(String name, int dimension, List<Check> checks) {
    /** Keeps its own list. */
    public CertificateReport {
        checks = List.copyOf(checks);
    }

    /**
     * One claim.
     *
     * @param claim in a word
     * @param holds whether it was confirmed
     * @param detail what was computed
     */
    public record Check(String claim, boolean holds, String detail) {}

    /**
     * Tells whether every claim holds.
     *
     * @return true when the certificate is right
     */
    public boolean valid() {
        return checks.stream().allMatch(Check::holds);
    }

    /**
     * Tells whether the certificate also proves that there is no further field.
     *
     * @return true when it claims so and the claim holds
     */
    public boolean complete() {
        return checks.stream().anyMatch(check -> check.claim().equals("completeness") && check.holds());
    }
}
