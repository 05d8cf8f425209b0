package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.symmetry.SymmetryFamily;
import org.isoloss.symmetry.SymmetryGroup;

/** The symmetry group of a model, as table, picture and JSON: what acts on its parts, found without its Jacobian. */
public final class GroupReport implements SymmetryListing {
    private final String name;
    private final long parameters;
    private final SymmetryGroup group;

    /**
     * Takes a result.
     *
     * @param name of the model
     * @param parameters how many the model has
     * @param group that it has
     */
    public GroupReport(String name, long parameters, SymmetryGroup group) {
        this.name = name;
        this.parameters = parameters;
        this.group = group;
    }

    @Override
    public Table table() {
        return SymmetryReport.table(
                "%s: symmetries of %d parameters".formatted(name, parameters), group.families(), List.of());
    }

    /** {@return the dimension of all factors together} */
    public int dimension() {
        return group.families().stream().mapToInt(SymmetryFamily::rank).sum();
    }

    @Override
    public String verdict() {
        String left = group.refuted().isEmpty()
                ? ""
                : "; %d families that go through a part do not go through its parameters and are left out"
                        .formatted(group.refuted().size());
        String wide = group.wideBlocks() == 0
                ? ""
                : "; of %d blocks with too many maps for a linear system the classical groups alone were tried"
                        .formatted(group.wideBlocks());
        return "dimension %d of the groups that act on values between parameters; the nullity of the Jacobian of so many parameters is not computed%s%s"
                .formatted(dimension(), left, wide);
    }

    @Override
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("model", name);
        json.put("parameters", parameters);
        json.put("rank", dimension());
        json.put("nullity", null);
        json.put("unexplained", null);
        List<Map<String, Object>> families = new ArrayList<>();
        group.families().forEach(family -> families.add(SymmetryReport.json(family)));
        json.put("families", families);
        json.put("wide_blocks", group.wideBlocks());
        json.put("refuted", group.refuted().stream().map(SymmetryReport::json).toList());
        return json;
    }

    @Override
    public Figure figure() {
        return SymmetryReport.figure(name, SymmetryReport.heights(group.families()), verdict());
    }

    @Override
    public Figure network() {
        return SymmetryReport.network(name, group.map(), verdict());
    }
}
