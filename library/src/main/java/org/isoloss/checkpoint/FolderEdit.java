package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;
import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.isoloss.checkpoint.CheckpointEdit.NewValues;
import org.isoloss.checkpoint.EditReport.EditedTensor;
import org.jspecify.annotations.Nullable;

/**
 * Saves an edit of a model folder. In a new folder everything but the selected tensors is a copy. In the folder itself one
 * rename puts the edit in force: of the one file that changed, or, when several did, of the index, which then names their
 * new versions under other names; the old ones are removed after it.
 */
final class FolderEdit {
    private static final String EDITED = "-edited";
    private static final String SUFFIX = ".safetensors";

    /** In either spelling, whatever else the configuration holds; its text stays as it is. */
    private static final Pattern DTYPE = Pattern.compile("(\"(?:torch_)?dtype\"\\s*:\\s*)\"(?:b?float16|half)\"");

    private static final Pattern TIED = Pattern.compile("(\"tie_word_embeddings\"\\s*:\\s*)(?:true|null)");

    private final Path folder;
    private final Checkpoint weights;
    private final SequencedMap<String, SafetensorsFile> files;
    private final SequencedMap<String, NewValues> changes;
    private final boolean wide;
    private final @Nullable StoredTensor head;
    private final String headFile;
    private final Map<String, EditedTensor> edited = new HashMap<>();

    private FolderEdit(
            Path folder,
            Checkpoint weights,
            SequencedMap<String, SafetensorsFile> files,
            SequencedMap<String, NewValues> changes,
            boolean wide,
            @Nullable StoredTensor head,
            String headFile) {
        this.folder = folder;
        this.weights = weights;
        this.files = files;
        this.changes = changes;
        this.wide = wide;
        this.head = head;
        this.headFile = headFile;
    }

    /**
     * How a folder is written anew.
     *
     * @param wide whether F16 and BF16 tensors become F32
     * @param untied whether a tied head gets a tensor of its own
     */
    record Rewriting(boolean wide, boolean untied) {}

    /**
     * Saves.
     *
     * @param folder the source
     * @param changes by name
     * @param rewriting what only a new folder can have
     * @param target the source itself, or a folder that is not there or empty
     */
    static EditReport save(Path folder, SequencedMap<String, NewValues> changes, Rewriting rewriting, Path target)
            throws IOException {
        try (Checkpoint weights = Checkpoint.open(folder)) {
            SequencedMap<String, SafetensorsFile> files = switch (weights) {
                case SafetensorsFile file -> {
                    var single = new LinkedHashMap<String, SafetensorsFile>();
                    single.put(String.valueOf(file.path().getFileName()), file);
                    yield single;
                }
                case ShardedSafetensors sharded -> sharded.files();
                default -> throw new CheckpointFormatException(weights.path(), "only safetensors are edited");
            };
            TiedWeights tied = TiedWeights.of(folder, weights);
            if (!rewriting.untied) {
                var all = tied.completed(changes);
                return new FolderEdit(folder, weights, files, all, rewriting.wide, null, "").saveAs(target);
            }
            TiedWeights.Untied names = tied.untied();
            String file = files.entrySet().stream()
                    .filter(entry -> entry.getValue().names().contains(names.embedding()))
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseThrow();
            return new FolderEdit(
                            folder, weights, files, changes, rewriting.wide, tied.head(), names.isStored() ? "" : file)
                    .saveAs(target);
        }
    }

    private EditReport saveAs(Path target) throws IOException {
        var edits = new TreeMap<String, CheckpointEdit>();
        for (String shard : files.keySet()) {
            CheckpointEdit edit = edit(shard);
            if (!edit.writesNothing() || shard.equals(headFile)) {
                edit.requireFitting(
                        file(shard),
                        headFile.equals(shard) ? requireNonNull(head).name() : "");
                edits.put(shard, edit);
            }
        }
        for (String name : changes.keySet()) {
            if (head == null || !head.name().equals(name)) {
                weights.tensor(name); // one that is nowhere is refused here
            } else {
                CheckpointEdit.of(folder).requireFitting(head, requireNonNull(changes.get(name)));
            }
        }
        if (!Files.exists(target) || !Files.isSameFile(folder, target)) {
            requireOutside(target);
            AtomicFolder.create(target, copy -> copyTo(copy, edits));
        } else if (wide || head != null) {
            throw new IOException("%s: not written: a folder is %s into a new one; choose another"
                    .formatted(target, wide ? "widened" : "untied"));
        } else if (edits.size() == 1) {
            String shard = edits.firstKey();
            AtomicFile.write(folder.resolve(shard), channel -> {
                add(edits.firstEntry().getValue().writeTo(file(shard), channel));
                file(shard).release(); // Windows replaces no file that is mapped
            });
        } else if (weights instanceof ShardedSafetensors sharded) {
            replaceSeveral(sharded, edits);
        }
        return new EditReport(changes.keySet().stream()
                .flatMap(name -> Stream.ofNullable(edited.get(name)))
                .toList());
    }

    private CheckpointEdit edit(String shard) {
        var own = new LinkedHashMap<>(changes);
        own.keySet().removeIf(name -> !file(shard).header().entries().containsKey(name) && !isHeadOf(shard, name));
        return CheckpointEdit.of(file(shard).path(), own, wide);
    }

    /** Tells whether a tensor is the head, not stored yet, that a file gets. */
    private boolean isHeadOf(String shard, String name) {
        return head != null && head.name().equals(name) && shard.equals(headFile);
    }

    private SafetensorsFile file(String shard) {
        SafetensorsFile file = files.get(shard);
        if (file == null) {
            throw new IllegalStateException("no open file " + shard);
        }
        return file;
    }

    private void add(EditReport report) {
        report.tensors().forEach(tensor -> edited.put(tensor.name(), tensor));
    }

    private void replaceSeveral(ShardedSafetensors sharded, Map<String, CheckpointEdit> edits) throws IOException {
        AtomicFile.requireReplaceable(sharded.path()); // before anything is written beside it
        var newNames = new LinkedHashMap<String, String>();
        for (var entry : edits.entrySet()) {
            String shard = entry.getKey();
            String other = otherName(shard);
            newNames.put(shard, other);
            AtomicFile.write(
                    folder.resolve(other), channel -> add(entry.getValue().writeTo(file(shard), channel)));
            AtomicFile.keepPermissions(folder.resolve(shard), folder.resolve(other));
        }
        sharded.release();
        AtomicFile.writeText(sharded.path(), sharded.index().renamed(newNames));
        for (String shard : newNames.keySet()) {
            Files.deleteIfExists(folder.resolve(shard));
        }
    }

    /** Returns a name that the index does not use; what a killed save left under it is overwritten. */
    private String otherName(String shard) {
        String stem = shard.substring(0, shard.length() - SUFFIX.length());
        String other = stem.endsWith(EDITED) ? stem.substring(0, stem.length() - EDITED.length()) : stem + EDITED;
        while (other.isEmpty() || files.containsKey(other + SUFFIX)) {
            other = stem + EDITED + EDITED;
            stem += EDITED;
        }
        return other + SUFFIX;
    }

    private void requireOutside(Path target) throws IOException {
        Path absolute = target.toAbsolutePath().normalize();
        if (absolute.startsWith(folder.toAbsolutePath().normalize())) {
            throw new IOException(target + ": not written: it lies in the folder it is a copy of; choose another");
        }
    }

    private void copyTo(Path copy, Map<String, CheckpointEdit> edits) throws IOException {
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(folder, FileVisitOption.FOLLOW_LINKS)) {
            paths = walk.filter(path -> !path.equals(folder)).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path path : paths) {
            Path relative = folder.relativize(path);
            Path to = copy.resolve(relative.toString());
            String name = relative.toString();
            CheckpointEdit edit = edits.get(name);
            if (Files.isDirectory(path)) {
                Files.createDirectory(to);
            } else if (edit != null) {
                AtomicFile.write(
                        to,
                        channel -> add(
                                name.equals(headFile)
                                        ? edit.writeAnew(file(name), channel, head)
                                        : edit.writeTo(file(name), channel)));
                AtomicFile.keepPermissions(path, to);
            } else if (!isLeftBehind(path)) {
                requireRegular(path);
                Optional<String> text = rewritten(path);
                if (text.isPresent()) {
                    AtomicFile.writeText(to, text.get());
                    AtomicFile.keepPermissions(path, to);
                } else {
                    AtomicFolder.copy(path, to);
                }
            }
        }
    }

    /** What the configuration and the index say once all weights are F32, or the head has a tensor of its own. */
    private Optional<String> rewritten(Path path) throws IOException {
        if (path.equals(folder.resolve(FolderFiles.CONFIG)) && (wide || head != null)) {
            String text = TextFile.read(path);
            String typed = wide ? DTYPE.matcher(text).replaceAll("$1\"float32\"") : text;
            return Optional.of(head == null ? typed : untied(typed));
        }
        if (weights instanceof ShardedSafetensors sharded
                && path.equals(sharded.path())
                && (wide || !headFile.isEmpty())) {
            ShardIndex index = sharded.index();
            if (head != null && !headFile.isEmpty()) {
                index = index.with(head.name(), headFile);
            }
            return Optional.of(index.withBytes(bytes()));
        }
        return Optional.empty();
    }

    private static String untied(String config) {
        Matcher tied = TIED.matcher(config);
        return tied.find()
                ? tied.replaceFirst("$1false")
                : config.replaceFirst("\\{", "{\n  \"tie_word_embeddings\": false,");
    }

    /** How many bytes all tensors have once they are written. */
    private long bytes() {
        long bytes = head == null || headFile.isEmpty() ? 0 : bytes(head.type(), head.shape());
        for (String shard : files.keySet()) {
            for (SafetensorsHeader.Entry entry : file(shard).header().entries().values()) {
                bytes += bytes(entry.type(), entry.shape());
            }
        }
        return bytes;
    }

    private long bytes(ElementType type, Shape shape) {
        return (wide ? type.widened() : type).bytes(shape.count());
    }

    /** Tells whether a killed save left the file: see {@link AtomicFile}. */
    private static boolean isLeftBehind(Path path) {
        String name = String.valueOf(path.getFileName());
        return name.startsWith(".") && name.endsWith(".tmp");
    }

    private static void requireRegular(Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new IOException("%s: not copied: %s is a device, a pipe or a broken link"
                    .formatted(path.getParent(), quoted(String.valueOf(path.getFileName()))));
        }
    }
}
