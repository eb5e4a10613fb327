package io.mgtm.group.raft;

import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.LogSettings;
import java.nio.file.Path;

/** A member's folder that is opened, and left as a killed process would. */
final class RaftFolder {
  private final Path folder;
  private final LogSettings settings;

  RaftFolder(Path folder, LogSettings settings) {
    this.folder = folder;
    this.settings = settings;
  }

  /** What is done with an open folder. */
  interface Use {
    void with(RaftDisk disk) throws Exception;
  }

  void open(Use use) throws Exception {
    try (DataDirectory directory = DataDirectory.open(folder.resolve("data"))) {
      RaftThreads threads = RaftThreads.start("test");
      try {
        use.with(new RaftDisk(directory, settings, threads.files()));
      } finally {
        threads.stop();
      }
    }
  }
}
