package io.mgtm.ha.node;

import io.mgtm.common.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells kits which copies the cluster counts as up to date: the file {@code marked.json} in the
 * resource's folder, which a primary that waits for it reads. Owner thread.
 */
final class Marks {
  private static final Logger log = LoggerFactory.getLogger(Marks.class);
  private final Path runtime;

  Marks(Path runtime) {
    this.runtime = runtime;
  }

  void write(String hierarchy, String resource, String token, Set<String> upToDate) {
    Path folder = runtime.resolve(hierarchy).resolve(resource);
    Path file = folder.resolve("marked.json");
    try {
      Files.createDirectories(folder);
      Path written = folder.resolve("marked.json.new");
      Files.write(
          written, Codec.bytes(Map.of("token", token, "upToDate", new TreeSet<>(upToDate))));
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      // The primary goes on waiting, and the next heartbeat tries again.
      log.warn("Cannot write {}: {}", file, FileErrors.reason(e));
    }
  }
}
