package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.StatusPage.Note;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what a log holds after the process or the machine died, and makes it fit to go on.
 *
 * <p>First it only reads: records count from the first segment on as long as checksums and indexes
 * fit. Behind the first place where they do not, an acknowledged record may stand only if something
 * proves that the index of that place had reached the disk: a sound record further on that was
 * written when it had, the status page, or a checkpoint. Then the log is damaged, and nothing is
 * modified. Otherwise the rest was never acknowledged as durable: it is wiped, on disk, before
 * anything can be appended.
 *
 * <p>When only the process died, what is read may be in memory alone, zeros no less than records: a
 * wipe that did not come to its force looks finished while the disk still has everything. Hence
 * nothing of a used segment is ever wiped without a note on disk that says so, and where the note
 * stands, all behind the end is wiped again, whatever it looks like.
 *
 * <p>After a failed force the system takes pages for clean that the disk never got. Those that are
 * still in memory are stored again, synced, and only then believed; those that are gone leave a
 * shorter log, which the report says may lack entries. It says so too of a log that ends before
 * what the status page knows as written, which the death of the process alone cannot do, and of one
 * whose status page is lost.
 */
final class LogRecovery {
  private static final Logger log = LoggerFactory.getLogger(LogRecovery.class);
  private final StorageFiles files;
  private final UUID member;
  private final StatusPage status;

  /** The segments by sequence, used and unused. */
  private final List<Segment> segments = new ArrayList<>();

  /** First index that an unfinished truncation removes, or {@code Long.MAX_VALUE}. */
  private long truncateFrom = Long.MAX_VALUE;

  private long evidence;
  private String evidenceSource = "";

  /**
   * Where the sound records end: the segment's position in the list, the offset, the next index.
   */
  private int endSegment;

  private int endOffset;
  private long endIndex;
  private long lastTerm;

  LogRecovery(StorageFiles files, UUID member, StatusPage status) {
    this.files = files;
    this.member = member;
    this.status = status;
  }

  /** What is known of the log after recovery. */
  record Recovered(
      List<Segment> used,
      List<Segment> spares,
      int endOffset,
      long lastTerm,
      RecoveryReport report) {}

  /**
   * @param checkpointIndex the index of the newest checkpoint, which is written only once the log
   *     is on disk up to it; 0 when there is none
   */
  Recovered run(LogSettings settings, long checkpointIndex) {
    openSegments();
    if (status.noted(Note.RESTART) > 0) {
      finishRestart(checkpointIndex);
    }
    if (status.noted(Note.TRUNCATION) > 0) {
      truncateFrom = status.noted(Note.TRUNCATION);
    }
    if (status.noted(Note.CLEAN) < 0) {
      hearOfFailures();
    }
    evidence(status.durable(), "the status page says");
    evidence(status.noted(Note.CLEAN), "the note of the last clean stop says");
    evidence(checkpointIndex, "the newest checkpoint says");
    if (isFresh()) {
      return fresh(settings);
    }
    boolean torn = scan();
    long tornBytes = torn && !isDamaged() ? searchTail() : 0;
    if (isDamaged()) {
      throw damaged();
    }
    lookForWritten();
    lookForStatus();
    boolean wasClean =
        status.noted(Note.CLEAN) == endIndex - 1
            && tornBytes == 0
            && truncateFrom == Long.MAX_VALUE;
    repair(wasClean);
    RecoveryReport report =
        new RecoveryReport(
            false,
            wasClean,
            segments.get(0).firstIndex(),
            endIndex - 1,
            tornBytes,
            status.noted(Note.FAILED) >= 0);
    return new Recovered(
        segments.subList(0, endSegment + 1),
        segments.subList(endSegment + 1, segments.size()),
        endOffset,
        lastTerm,
        report);
  }

  private void openSegments() {
    long expected = -1;
    for (String name : files.list().stream().sorted().toList()) {
      OptionalLong sequence = FileNames.segmentSequence(name);
      if (sequence.isEmpty()) {
        continue;
      }
      if (expected != -1 && sequence.getAsLong() != expected) {
        throw LogException.damaged(
            "%s is missing between other log files"
                .formatted(files.describe(FileNames.segment(expected))));
      }
      segments.add(new Segment(sequence.getAsLong(), member, files.map(name)));
      expected = sequence.getAsLong() + 1;
    }
  }

  /** Lets the log begin behind a checkpoint that was to replace it, if that is on disk. */
  private void finishRestart(long checkpointIndex) {
    long firstIndex = status.noted(Note.RESTART);
    if (checkpointIndex == firstIndex - 1 && !segments.isEmpty()) {
      for (int i = segments.size() - 1; i > 0; i--) {
        segments.get(i).wipe(0);
      }
      segments.get(0).restart(firstIndex);
      status.resetDurable(firstIndex - 1);
    }
    status.clear(Note.RESTART);
  }

  /** The system tells a failure to write back, which no process has heard of, to the next force. */
  private void hearOfFailures() {
    for (Segment segment : segments) {
      try {
        segment.force(0, segment.capacity());
      } catch (LogException e) {
        log.warn("Entries that were not synced may be lost: {}", e.getMessage());
        status.noteFailed();
      }
    }
  }

  /** Noted before anything is repaired, so that a start which is interrupted forgets it not. */
  private void lookForWritten() {
    long written = writtenAndNotTakenBack();
    if (written >= endIndex) {
      log.warn(
          "Entries {} to {} in {} had been written and not synced, and are lost",
          endIndex,
          written,
          files.describe(""));
      status.noteFailed();
    }
  }

  /** Without the page nothing shows that entries behind the end are missing. */
  private void lookForStatus() {
    if (status.isBlank()) {
      log.warn(
          "{} was missing or damaged, and has been created again. It records how far the log was written, so entries after {} may be lost. A member of a group gets them from the leader; without a group, compare the prepared transactions and the newest gxid with the data nodes. Check the disk",
          files.describe(StatusPage.NAME),
          endIndex - 1);
      status.noteFailed();
    }
  }

  private long writtenAndNotTakenBack() {
    return Math.min(status.written(), truncateFrom - 1);
  }

  /** Notes that {@code index} was on disk once. What a truncation removes proves nothing. */
  private void evidence(long index, String source) {
    long kept = Math.min(index, truncateFrom - 1);
    if (kept > evidence) {
      evidence = kept;
      evidenceSource = source;
    }
  }

  /** A log that nothing was ever acknowledged from, and whose first header is not there yet. */
  private boolean isFresh() {
    return evidence == 0
        && writtenAndNotTakenBack() == 0
        && segments.stream().allMatch(segment -> segment.firstNonZero(0) == segment.capacity());
  }

  private Recovered fresh(LogSettings settings) {
    for (Segment unused : segments) {
      files.delete(unused.name());
    }
    status.resetDurable(0); // before there is a log, beside which an empty page is a lost one
    String name = FileNames.segment(1);
    String unfinished = name + FileNames.UNFINISHED;
    Segment first = new Segment(1, member, files.create(unfinished, settings.segmentBytes()));
    first.begin(1);
    first.force(0, Segment.HEADER_BYTES);
    files.rename(unfinished, name);
    files.forceDirectory();
    return new Recovered(
        List.of(first),
        List.of(),
        Segment.HEADER_BYTES,
        0,
        new RecoveryReport(true, true, 1, 0, 0, false));
  }

  /**
   * Reads sound records up to the end of the log.
   *
   * @return false when a truncation ends it, so that what follows proves nothing
   */
  private boolean scan() {
    if (segments.isEmpty() || !readHeader(0)) {
      String first = segments.isEmpty() ? FileNames.segment(1) : segments.get(0).name();
      throw LogException.damaged(
          "%s, the first file of the log, is %s"
              .formatted(
                  files.describe(first), segments.isEmpty() ? "missing" : "damaged in its header"));
    }
    endIndex = segments.get(0).firstIndex();
    for (int i = 0; i < segments.size(); i++) {
      if (endIndex == truncateFrom && i > 0) {
        return false;
      }
      if (i > 0 && (!readHeader(i) || segments.get(i).firstIndex() != endIndex)) {
        return true;
      }
      if (!scanRecords(i)) {
        return false;
      }
    }
    return true;
  }

  private boolean readHeader(int position) {
    Segment segment = segments.get(position);
    return segment.readHeader(files.describe(segment.name()));
  }

  private boolean scanRecords(int position) {
    Segment segment = segments.get(position);
    endSegment = position;
    endOffset = Segment.HEADER_BYTES;
    while (endIndex < truncateFrom) {
      int next = segment.recordEnd(endOffset, endIndex);
      if (next < 0) {
        return true;
      }
      lastTerm = segment.term(endOffset);
      // It says no more than that earlier records were on disk, so it never proves damage.
      evidence = Math.max(evidence, Math.min(segment.durableIndex(endOffset), endIndex - 1));
      endOffset = next;
      endIndex++;
    }
    return false;
  }

  /**
   * Looks for sound records behind the end, until one proves that the log is damaged.
   *
   * @return the bytes from the end to the last byte that is not zero, over all files
   */
  private long searchTail() {
    long bytes = 0;
    for (int i = endSegment; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      int from = i == endSegment ? endOffset : 0;
      int to = segment.nonZeroEnd(from);
      bytes += to - from;
      for (int at = (from + 7) & ~7; at < to && !isDamaged(); at += 8) {
        searchAt(segment, at);
      }
    }
    return bytes;
  }

  private void searchAt(Segment segment, int offset) {
    if (offset > segment.capacity() - Segment.RECORD_HEADER_BYTES) {
      return;
    }
    long index = segment.index(offset);
    // The cheap tests come first: only what could raise the evidence is worth a checksum.
    if (index >= endIndex
        && segment.durableIndex(offset) > evidence
        && segment.recordEnd(offset, index) >= 0) {
      evidence(segment.durableIndex(offset), recordSays(segment, offset));
    }
  }

  private String recordSays(Segment segment, int offset) {
    return "the record at offset %d of %s says".formatted(offset, files.describe(segment.name()));
  }

  private boolean isDamaged() {
    return evidence >= endIndex;
  }

  private LogException damaged() {
    return LogException.damaged(
        ("%s has no sound record of index %d at offset %d, but %s that index %d was on disk:"
                + " acknowledged entries are damaged and nothing was changed")
            .formatted(
                files.describe(segments.get(endSegment).name()),
                endIndex,
                endOffset,
                evidenceSource,
                evidence));
  }

  /** Leaves nothing behind the end, and everything before it on disk. */
  private void repair(boolean wasClean) {
    boolean wipingBefore = truncateFrom != Long.MAX_VALUE;
    if (wipingBefore || !isTailEmpty()) {
      // A note that is there is stored again: it may have been found in memory only.
      status.note(Note.TRUNCATION, wipingBefore ? truncateFrom : endIndex);
      wipeTail();
    }
    if (!wasClean) {
      rewriteUnproven();
    }
    status.resetDurable(endIndex - 1);
    status.resetWritten(endIndex - 1);
    status.clear(Note.TRUNCATION);
  }

  /** Whether all behind the end reads as zeros; where no wipe was noted, it then is on disk too. */
  private boolean isTailEmpty() {
    for (int i = endSegment; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      if (segment.firstNonZero(i == endSegment ? endOffset : 0) < segment.capacity()) {
        return false;
      }
    }
    return true;
  }

  private void wipeTail() {
    for (int i = segments.size() - 1; i >= endSegment; i--) {
      segments.get(i).wipe(i == endSegment ? endOffset : 0);
    }
  }

  /** Forces what no evidence covers: it was found in memory, which may be all that has it. */
  private void rewriteUnproven() {
    for (int i = 0; i <= endSegment; i++) {
      Segment segment = segments.get(i);
      boolean isEnd = i == endSegment;
      long nextFirst = isEnd ? endIndex : segments.get(i + 1).firstIndex();
      int from = 0;
      if (segment.firstIndex() <= evidence) {
        from = evidence < nextFirst ? segment.offsetOf(evidence + 1) : segment.capacity();
      }
      int to = isEnd ? endOffset : segment.capacity();
      segment.rewrite(from, to);
      if (from < to) {
        proveSound(segment, Math.max(evidence + 1, segment.firstIndex()), nextFirst);
      }
    }
  }

  /** A page may have gone from memory after it was read and before it was stored again. */
  private void proveSound(Segment segment, long fromIndex, long toIndex) {
    int offset = segment.offsetOf(fromIndex);
    for (long index = fromIndex; index < toIndex && offset >= 0; index++) {
      offset = segment.recordEnd(offset, index);
    }
    if (offset < 0 || !segment.readHeader(files.describe(segment.name()))) {
      throw new LogException(
          Category.IO,
          "The disk has lost a part of %s that was just read; check the disk and start again"
              .formatted(files.describe(segment.name())));
    }
  }
}
