package org.isoloss.affine;

import java.util.List;
import java.util.Optional;

/**
 * What the verifier found. Nothing in it is taken from the certificate unless it was computed again.
 *
 * @param name of the algebra, as it follows from the network; nothing where known families are not the whole algebra
 * @param dimension number of fields, proved independent where the certificate is valid
 * @param checks one for each claim
 */
public record CertificateReport(Optional<String> name, int dimension, List<Check> checks) {
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

    /** {@return whether every claim holds: true when the certificate is right} */
    public boolean valid() {
        return checks.stream().allMatch(Check::holds);
    }

    /**
     * {@return whether the certificate also proves that there is no further field: true when it claims so, the claim holds, and
     * all others do}
     */
    public boolean complete() {
        return valid() && checks.stream().anyMatch(check -> check.claim().equals("completeness") && check.holds());
    }
}
