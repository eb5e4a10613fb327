package io.mgtm.ha.config;

import io.mgtm.common.ConfigException;
import io.mgtm.common.SecretFile;
import io.mgtm.ha.config.NotifyConfig.Mail;
import io.mgtm.ha.config.NotifyConfig.Webhook;
import io.mgtm.ha.kit.FenceAgent;
import io.mgtm.ha.kit.ResourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Looks at what a file names on this machine, before a controller needs it. */
final class MachineCheck {
  private static final String SECRET_FILE = "/secretFile";

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
    read(SECRET_FILE, key -> secret());
    for (Map.Entry<String, Webhook> each : file.tells().webhooks().entrySet()) {
      Path secret = each.getValue().secretFile();
      read(
          "/notify/webhooks/" + each.getKey() + "/secretFile",
          key -> SecretFile.ofLinks(key, secret));
    }
    Optional<Path> password = file.tells().mail().flatMap(Mail::passwordFile);
    if (password.isPresent()) {
      read("/notify/mail/passwordFile", key -> SecretFile.firstLine(key, password.get()));
    }
  }

  private interface Reader {
    void read(String key) throws IOException;
  }

  private void read(String at, Reader what) throws ConfigException {
    try {
      what.read(at.substring(1).replace('/', '.'));
    } catch (IOException e) {
      throw yaml.error(at, e.getMessage());
    }
  }

  private void secret() throws IOException {
    file.secret();
    Path secret = file.secretFile().orElse(null);
    if (secret != null && SecretFile.isOpenToOthers(secret)) {
      throw new IOException("%1$s can be used by others; chmod 600 %1$s".formatted(secret));
    }
  }
}
