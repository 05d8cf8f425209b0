package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelNameTest {
    @ParameterizedTest
    @CsvSource({
        "hub/models--EleutherAI--pythia-160m/snapshots/50f5173d932e8e61f858120bcb800b97af589f46, pythia-160m",
        "hub/models--gpt2/snapshots/607a30d783dfa663caf39e06633721c8d4cfcd7e/, gpt2",
        "hub/models--a--b/snapshots/./0123abc, b",
        "copies/pythia/snapshots/0123abc, pythia",
        "hub/models--a--b/snapshots/main, main",
        "hub/models--a--b/blobs/0123abc, 0123abc",
        "models/0123abc, 0123abc",
        "models/pythia-160m, pythia-160m",
        "/, model",
    })
    void aSnapshotIsNamedAfterItsModel(Path folder, String name) {
        assertThat(ModelName.of(folder)).isEqualTo(name);
    }
}
