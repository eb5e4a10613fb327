package io.mgtm.group.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a sync counts as on disk, step by step as its thread and the owner may take turns. */
class LogSyncerTest {
  private static final UUID MEMBER = new UUID(5, 6);
  private static final int SEGMENT_BYTES = 4_096;

  @TempDir Path folder;

  private Segment segment;
  private LogSyncer syncer;
  private int offset = Segment.HEADER_BYTES;

  @BeforeEach
  void begin() {
    DiskFiles files = new DiskFiles(folder);
    segment = new Segment(1, MEMBER, files.create(FileNames.segment(1), SEGMENT_BYTES));
    segment.begin(1);
    syncer =
        new LogSyncer(
            files,
            new UsedSegments(List.of(segment)),
            StatusPage.open(files, MEMBER),
            System::nanoTime,
            LogSyncer.position(segment, offset),
            0);
  }

  private long write(long index) {
    offset =
        segment.write(
            offset,
            index,
            1,
            syncer.durableIndex(),
            ByteBuffer.allocate(0),
            ByteBuffer.allocate(8));
    return LogSyncer.position(segment, offset);
  }

  @Test
  void syncCountsWhatWasWrittenBefore() {
    syncer.written(write(1), 1);
    syncer.written(write(2), 2);
    assertThat(syncer.force()).isEqualTo(2);
    assertThat(syncer.durableIndex()).isEqualTo(2);
    assertThat(syncer.force()).as("nothing new").isEqualTo(2);
  }

  /**
   * The owner publishes the position before the index. A sync between the two takes the entry along
   * and does not count it; when the next one does not either, clients that all wait for this entry
   * wait until somebody else writes.
   */
  @Test
  void nextSyncCountsAnEntryWhoseIndexCameTooLateForTheLast() {
    syncer.written(write(1), 1);
    long position = write(2);
    syncer.written(position, 1);
    assertThat(syncer.force()).isEqualTo(1);
    syncer.written(position, 2);
    assertThat(syncer.force()).isEqualTo(2);
    assertThat(syncer.durableIndex()).isEqualTo(2);
  }
}
