package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumeCommandTest {
  @TempDir Path folder;

  private List<String> arguments(Map<String, String> more) throws Exception {
    Map<String, String> parameters =
        new TreeMap<>(
            Map.of(
                "volume",
                "v1",
                "file",
                folder.resolve("disk").toString(),
                "listen",
                "unix:/run/v1.sock",
                "copies",
                "node1=10.0.0.1:7800, node2=10.0.0.2:7800",
                "size",
                "8M"));
    parameters.putAll(more);
    return new VolumeCommand(new Rig(folder).context("disk", parameters)).arguments();
  }

  @Test
  void agentWithAnotherParameterIsAnother() throws Exception {
    List<String> first = arguments(Map.of());
    for (Map<String, String> each :
        List.of(
            Map.of("copies", "node1=10.0.0.1:7800,node3=10.0.0.3:7800"),
            Map.of("mode", "semi"),
            Map.of("pathTimeoutMs", "2000"),
            Map.of("options", "--compress lz4"))) {
      assertThat(VolumeCommand.differ(first, arguments(each))).as(each.toString()).isTrue();
    }
    assertThat(VolumeCommand.differ(first, arguments(Map.of("javaOptions", "-Xmx1g")))).isFalse();
  }

  @Test
  void sizeOfACopyThatIsThereDoesNotCount() throws Exception {
    List<String> first = arguments(Map.of());
    assertThat(first).containsSequence("--size", "8M");
    Files.createDirectories(folder.resolve("disk.meta"));
    Files.createFile(folder.resolve("disk.meta/volume.json"));
    assertThat(arguments(Map.of())).doesNotContain("--size");
    assertThat(VolumeCommand.differ(first, arguments(Map.of("size", "9M")))).isFalse();
  }

  @Test
  void agentIsFoundBehindWhatStartsIt() {
    List<String> own = List.of("start", "--name", "v1");
    assertThat(VolumeCommand.fromStart(List.of("java", "-jar", "x.jar", "start", "--name", "v1")))
        .isEqualTo(own);
    assertThat(VolumeCommand.fromStart(List.of("sleep", "start"))).isEmpty();
  }
}
