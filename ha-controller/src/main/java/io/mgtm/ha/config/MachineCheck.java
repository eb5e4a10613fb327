package io.mgtm.ha.config;

import io.mgtm.common.ConfigException;
import io.mgtm.ha.kit.FenceAgent;
import io.mgtm.ha.kit.ResourceCheck;
import java.util.Map;
import java.util.Optional;

/** Looks at what a file names on this machine, before a controller needs it. */
final class MachineCheck {
  private final YamlText yaml;
  private final ClusterFile file;

  MachineCheck(YamlText yaml, ClusterFile file) {
    this.yaml = yaml;
    this.file = file;
  }

  void check() throws ConfigException, InterruptedException {
    for (Map.Entry<String, FenceAgent> fence : file.fences().entrySet()) {
      Optional<ResourceCheck.Problem> wrong = fence.getValue().wrongHere();
      if (wrong.isPresent()) {
        throw yaml.error(
            FenceFile.at(fence.getKey()) + "/" + wrong.get().parameter(), wrong.get().sentence());
      }
    }
  }
}
