package io.mgtm.group.quorumdisk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.net.MessageCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Steps of the witness on a disk, one by one. */
class DiskWitnessTest {
  private static final UUID DISK = new UUID(9, 9);
  private static final MemberId A = new MemberId("a", new UUID(1, 1));
  private static final MemberId B = new MemberId("b", new UUID(2, 2));
  private static final MemberId WITNESS = new MemberId(QuorumDisk.MEMBER, DISK);
  private static final Membership ALL =
      Membership.ofVoters(List.of(A, B, WITNESS)).withWitness(QuorumDisk.MEMBER);
  private static final List<String> NAMES = List.of("a", "b", QuorumDisk.MEMBER);

  /** The disk, whose reads and writes end when the test says so. */
  private static final class Disk implements DiskIo {
    private final List<DiskImage.Said> said =
        new ArrayList<>(
            List.of(
                new DiskImage.Said(0, Optional.empty()), new DiskImage.Said(0, Optional.empty())));
    private BiConsumer<DiskImage, String> reading;
    private Runnable writing;

    @Override
    public void read(BiConsumer<DiskImage, String> then) {
      reading = then;
    }

    @Override
    public void write(int to, long number, byte[] content, Consumer<String> then) {
      Words words = Words.decode(ByteBuffer.wrap(content));
      writing =
          () -> {
            said.set(to, new DiskImage.Said(number, Optional.of(words)));
            then.accept(null);
          };
    }

    /** Another member's words are on the disk. */
    void says(int other, Words words) {
      said.set(other, new DiskImage.Said(said.get(other).number() + 1, Optional.of(words)));
    }

    Words words(int of) {
      return said.get(of).words().orElseThrow();
    }

    private DiskImage image() {
      return new DiskImage(1, DISK, "test", List.of("a", "b"), List.copyOf(said));
    }

    /** Ends what is under way, and what begins by that, while it writes. */
    void end() {
      while (writing != null || reading != null) {
        endOne();
      }
    }

    void endOne() {
      Runnable write = writing;
      BiConsumer<DiskImage, String> read = reading;
      writing = null;
      reading = null;
      if (write != null) {
        write.run();
      } else if (read != null) {
        read.accept(image(), null);
      }
    }

    @Override
    public void close() {}
  }

  private final Disk disk = new Disk();
  private final List<Message> answers = new ArrayList<>();
  private long nowMs = 1_000;

  private DiskWitness witness(String member) {
    DiskWitness witness =
        new DiskWitness(
            member,
            NAMES,
            CoreSettings.defaults(),
            disk,
            () -> nowMs,
            bytes -> answers.add(MessageCodec.decode(ByteBuffer.wrap(bytes)).message()));
    witness.tick();
    disk.end();
    return witness;
  }

  private static Words words(MemberId by, long version, long term, MemberId voted) {
    TermRecord record =
        new TermRecord(
            term, voted, 1, DurabilityState.INTACT, Membership.NONE, ALL.founding(), true);
    return new Words(by, version, false, 0, record, CoreLog.Checkpoint.position(5, 1, ALL));
  }

  private static byte[] vote(MemberId from, long term) {
    return MessageCodec.encode(from, new Message.Vote(term, ALL.founding(), 1, 5, false, false));
  }

  private boolean isGranted(DiskWitness by, MemberId to, long term) {
    answers.clear();
    by.received(vote(to, term));
    disk.end();
    return answers.stream().anyMatch(m -> m instanceof Message.VoteReply r && r.granted());
  }

  private void both() {
    disk.says(0, words(A, 3, 1, null));
    disk.says(1, words(B, 3, 1, null));
  }

  @Test
  void noAnswerLeavesBeforeTheWordsAreWrittenAndTheOthersAreReadAgain() {
    both();
    DiskWitness b = witness("b");
    nowMs += 5_000;
    b.received(vote(B, 2));
    assertThat(answers).isEmpty();
    disk.endOne(); // written
    assertThat(disk.words(1).record().votedFor()).isEqualTo(B);
    assertThat(answers).isEmpty();
    disk.endOne(); // read again
    assertThat(answers).anyMatch(Message.VoteReply.class::isInstance);
  }

  @Test
  void anAnswerIsDroppedWhenAnotherHasWrittenMeanwhile() {
    both();
    DiskWitness b = witness("b");
    nowMs += 5_000;
    b.received(vote(B, 2));
    disk.says(0, words(A, 4, 2, A));
    disk.end();
    assertThat(answers).isEmpty();
    nowMs += 5_000;
    assertThat(isGranted(b, B, 2)).isFalse();
    assertThat(isGranted(witness("a"), A, 2)).isFalse();
  }

  /** The other wrote beside it, and has not answered; what it wrote is read late. */
  @Test
  void aVoteThatIsOutIsNeverGivenToAnother() {
    both();
    DiskWitness b = witness("b");
    nowMs += 5_000;
    assertThat(isGranted(b, B, 2)).isTrue();

    disk.says(0, words(A, 4, 2, A));
    b.tick();
    disk.end();
    nowMs += 5_000;
    b.received(vote(B, 3));
    disk.end();
    DiskWitness a = witness("a");
    nowMs += 5_000;
    assertThat(isGranted(a, A, 2)).isFalse();
    assertThat(isGranted(a, A, 3)).isFalse();
  }

  /** As when each node has a disk of its own: two groups would be founded. */
  @Test
  void aDiskThatTheOtherHasNotWrittenOnFoundsNoGroup() {
    DiskWitness b = witness("b");
    b.received(hello(B));
    disk.end();
    assertThat(answers).noneMatch(Message.HelloReply.class::isInstance);
    assertThat(b.problem()).hasValueSatisfying(why -> assertThat(why).contains("the same disk"));

    disk.says(0, Words.none(A));
    b.tick();
    disk.end();
    b.received(hello(B));
    disk.end();
    assertThat(answers).anyMatch(Message.HelloReply.class::isInstance);
    assertThat(b.problem()).isEmpty();
  }

  /** As when it was copied to one for each node: the other's words come to the other disk alone. */
  @Test
  void aDiskThatDoesNotShowWhatTheOtherHasWrittenVotesForNobody() {
    both();
    DiskWitness b = witness("b");
    b.heard(new DiskMark(DISK, "a", 0, 2));
    nowMs += 100;
    b.tick();
    disk.end();
    assertThat(b.problem()).hasValueSatisfying(why -> assertThat(why).contains("what a has"));
    assertThat(b.lastingProblem()).isEmpty();
    nowMs += 60_000;
    assertThat(isGranted(b, B, 2)).isFalse();
    assertThat(b.lastingProblem()).isEqualTo(b.problem()).isPresent();

    disk.says(0, words(A, 3, 1, null));
    b.tick();
    disk.end();
    assertThat(b.lastingProblem()).isEmpty();
    nowMs += 5_000;
    assertThat(isGranted(b, B, 2)).isTrue();
  }

  /** Also while the other is away, who would know it too. */
  @Test
  void anOlderCopyThatIsPutBackVotesForNobody() {
    both();
    DiskWitness b = witness("b");
    nowMs += 5_000;
    assertThat(isGranted(b, B, 2)).isTrue();
    disk.says(0, words(A, 5, 2, B));
    b.tick();
    disk.end();
    disk.said.set(0, new DiskImage.Said(1, Optional.of(words(A, 3, 1, null))));
    nowMs += 5_000;
    assertThat(isGranted(b, B, 3)).isFalse();
    nowMs += 5_000;
    assertThat(isGranted(b, B, 3)).isFalse();
    assertThat(b.problem()).hasValueSatisfying(why -> assertThat(why).contains("an older one"));
  }

  @Test
  void aDiskThatIsTooSlowIsToldOf() {
    both();
    DiskWitness b = witness("b");
    int steps = 0;
    for (; steps < 20 && b.lastingProblem().isEmpty(); steps++) {
      b.tick();
      nowMs += CoreSettings.defaults().electionTimeoutMs();
      disk.end();
    }
    assertThat(steps).isBetween(3, 19);
    assertThat(b.lastingProblem()).hasValueSatisfying(why -> assertThat(why).contains("ms to"));
    assertThat(b.problem()).isEmpty();
    b.tick();
    disk.end();
    assertThat(b.lastingProblem()).isEmpty();
  }

  /** What is written while it reads it cannot have seen. */
  @Test
  void aReadNeedNotShowWhatIsHeardMeanwhile() {
    both();
    DiskWitness b = witness("b");
    nowMs += 5_000;
    b.received(vote(B, 2));
    disk.endOne(); // written
    DiskMark later = new DiskMark(DISK, "a", 0, 2);
    b.heard(later);
    disk.endOne(); // read again
    assertThat(answers).anyMatch(m -> m instanceof Message.VoteReply r && r.granted());
    assertThat(b.problem()).isEmpty();

    b.heard(new DiskMark(new UUID(7, 7), "a", 0, 99));
    b.tick();
    disk.end();
    assertThat(b.problem()).as("another disk is not compared").isEmpty();
  }

  @Test
  void tellsWhatItHasOnTheDisk() {
    both();
    DiskWitness b = witness("b");
    assertThat(b.mark()).hasValue(new DiskMark(DISK, "b", 1, 1));
    nowMs += 5_000;
    b.received(vote(B, 2));
    assertThat(b.mark()).as("not before it is there").hasValue(new DiskMark(DISK, "b", 1, 1));
    disk.end();
    assertThat(b.mark()).hasValue(new DiskMark(DISK, "b", 1, 2));
  }

  private static byte[] hello(MemberId from) {
    return MessageCodec.encode(from, new Message.Hello(0, null, 7));
  }

  /** Nobody knows any more whose answer is out. */
  @Test
  void afterARestartOfBothNobodyGetsThatVote() {
    disk.says(0, words(A, 4, 2, A));
    disk.says(1, words(B, 4, 2, B));
    DiskWitness a = witness("a");
    nowMs += 5_000;
    assertThat(isGranted(a, A, 2)).isFalse();
    DiskWitness b = witness("b");
    nowMs += 5_000;
    assertThat(isGranted(b, B, 2)).isFalse();
    assertThat(isGranted(b, B, 3)).isTrue();
  }
}
