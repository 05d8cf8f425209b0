package org.isoloss.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Guesses from its first bytes what a file is that is not what was expected, and what to do about it. */
final class ForeignFile {
    /** How many bytes of the beginning are enough. */
    static final int BYTES = 128;

    /** How to convert what torch.save wrote, without isoloss ever loading a pickle. */
    static final String CONVERT = "convert it to safetensors: python -c \"import sys, torch;"
            + " from safetensors.torch import save_file; save_file({k: v.clone().contiguous() for k, v in"
            + " torch.load(sys.argv[1], weights_only=True, map_location='cpu').items()}, sys.argv[2], {'format': 'pt'})\""
            + " old.pt new.safetensors";

    private ForeignFile() {}

    /**
     * Returns a clause for the end of a message.
     *
     * @param start the first bytes of the file, {@link #BYTES} or all of them; not modified
     * @return such as "; it looks like an HTML page: ...", or "" when nothing is recognised
     */
    static String describe(byte[] start) {
        String text = new String(start, StandardCharsets.ISO_8859_1);
        String lower = text.stripLeading().toLowerCase(Locale.ROOT);
        String guess;
        if (text.startsWith("\u0080") && start.length > 1 && start[1] >= 2 && start[1] <= 5) {
            guess = "a Python pickle, as older torch.save writes, which can run code and is never loaded; " + CONVERT;
        } else if (text.startsWith("PK\3\4") && text.contains(".npy")) {
            guess = "numpy's npz";
        } else if (text.startsWith("PK\3\4")) {
            guess = "a zip archive, as torch.save writes (.pt, .bin), with a pickle inside, which is never loaded; "
                    + CONVERT;
        } else if (text.startsWith("version https://git-lfs")) {
            guess = "a git-lfs pointer in place of the file; fetch the file: git lfs pull";
        } else if (lower.startsWith("<!doctype") || lower.startsWith("<html") || lower.startsWith("<?xml")) {
            guess = "an HTML or XML page in place of the file; download it again and check the address";
        } else if (text.matches("(\\.\\.?)?/[\\w./@+-]+\\n?")) {
            guess = "the text of a link to '%s', as copying without links leaves; copy the file that it names"
                    .formatted(text.strip());
        } else if (text.startsWith("\u0093NUMPY")) {
            guess = "numpy's npy";
        } else if (text.startsWith("GGUF")) {
            guess = "GGUF";
        } else if (text.startsWith("\u0089HDF")) {
            guess = "HDF5, as Keras writes; save the weights as safetensors or npz";
        } else if (text.startsWith("\u001f\u008b")) {
            guess = "a gzip file; unpack it: gunzip";
        } else if (lower.startsWith("{") || lower.startsWith("[")) {
            guess = "JSON text";
        } else if (start.length > 0 && text.chars().allMatch(character -> character == 0)) {
            guess = "zeros, as an unfinished download leaves; download it again";
        } else {
            return "";
        }
        return "; it looks like " + guess;
    }
}
