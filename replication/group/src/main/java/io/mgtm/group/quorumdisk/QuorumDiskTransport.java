package io.mgtm.group.quorumdisk;

import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * A transport by which a member also speaks with the witness on a quorum disk, as long as it has
 * one; what goes to other members passes. Owner thread, where not said otherwise.
 */
public final class QuorumDiskTransport implements Transport {
  private final Transport network;
  private final String member;
  private final List<String> configured;
  private final CoreSettings settings;
  private final Timer timer;
  private final LongSupplier clockMs;
  private Receiver receiver;
  private volatile Optional<Used> used = Optional.empty();

  private record Used(String path, DiskWitness witness) {}

  /** Has the owner do something after some time. */
  interface Timer {
    void after(long ms, Runnable task);
  }

  QuorumDiskTransport(
      Transport network,
      String member,
      List<String> configured,
      CoreSettings settings,
      Timer timer,
      LongSupplier clockMs) {
    this.network = network;
    this.member = member;
    this.configured = configured;
    this.settings = settings;
    this.timer = timer;
    this.clockMs = clockMs;
  }

  /**
   * One without a disk.
   *
   * @param network the way to all others
   * @param member this one's name
   * @param configured as the group's settings have it, without the disk
   */
  public static QuorumDiskTransport of(
      Transport network,
      String member,
      List<String> configured,
      CoreSettings settings,
      ScheduledExecutorService owner) {
    return new QuorumDiskTransport(
        network,
        member,
        configured,
        settings,
        (ms, task) -> owner.schedule(task, ms, TimeUnit.MILLISECONDS),
        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
  }

  /** Speaks with another disk from now on, or with none; with the one it has when that stays. */
  public void use(Optional<Path> path) {
    String wanted = path.map(Path::toString).orElse("");
    if (!wanted.equals(used.map(Used::path).orElse(""))) {
      path.ifPresentOrElse(
          disk -> use(wanted, to -> new DiskThread(disk, to)), () -> use("", to -> null));
    }
  }

  /** With a disk of a test, which is given what has the owner do something. */
  void use(String path, Function<Executor, DiskIo> opened) {
    used.ifPresent(former -> former.witness().close());
    DiskIo disk = opened.apply(task -> timer.after(0, task));
    used =
        Optional.ofNullable(disk)
            .map(
                with ->
                    new Used(
                        path,
                        new DiskWitness(
                            member, withDisk(), settings, with, clockMs, this::answered)));
    used.ifPresent(this::tick);
  }

  private List<String> withDisk() {
    List<String> names = new ArrayList<>(configured);
    names.remove(QuorumDisk.MEMBER);
    names.add(QuorumDisk.MEMBER);
    return names;
  }

  private void tick(Used of) {
    if (!of.witness().isClosed()) {
      of.witness().tick();
      timer.after(of.witness().tickMs(), () -> tick(of));
    }
  }

  private void answered(byte[] message) {
    receiver.receivedByOwner(ByteBuffer.wrap(message));
  }

  @Override
  public void start(Receiver what) {
    receiver = what;
    network.start(what);
  }

  @Override
  public void send(List<String> to, byte[] message) {
    if (!to.contains(QuorumDisk.MEMBER)) {
      network.send(to, message);
      return;
    }
    used.ifPresent(now -> now.witness().received(message));
    List<String> others = new ArrayList<>(to);
    others.remove(QuorumDisk.MEMBER);
    if (!others.isEmpty()) {
      network.send(others, message);
    }
  }

  @Override
  public void flush() {
    network.flush();
  }

  /** Any thread. */
  @Override
  public List<String> connected() {
    boolean answers = used.filter(now -> now.witness().problem().isEmpty()).isPresent();
    return answers
        ? Stream.concat(network.connected().stream(), Stream.of(QuorumDisk.MEMBER))
            .sorted()
            .toList()
        : network.connected();
  }

  @Override
  public Optional<String> refusedCertificate() {
    return network.refusedCertificate();
  }

  /** Another member has written that. */
  public void heard(DiskMark of) {
    used.ifPresent(now -> now.witness().heard(of));
  }

  /** What the member has on the disk; empty without one, or when that is not known. */
  public Optional<DiskMark> mark() {
    return used.flatMap(now -> now.witness().mark());
  }

  /**
   * Why the disk has not voted for the member for some time; empty when it does, or there is none.
   *
   * @param status of the member
   */
  public Optional<String> lastingProblem(GroupStatus status) {
    return used.flatMap(
        now -> now.witness().lastingProblem().or(() -> anotherVotes(now.witness(), status)));
  }

  private Optional<String> anotherVotes(DiskWitness witness, GroupStatus status) {
    return status.members().stream()
        .filter(each -> each.name().equals(QuorumDisk.MEMBER))
        .filter(each -> isAnother(each.identity(), witness.mark()))
        .map(
            each ->
                "it is not the one that votes. Configure one disk for both nodes; a disk that was created again votes once both controllers are running")
        .findFirst();
  }

  private static boolean isAnother(String identity, Optional<DiskMark> read) {
    return read.isPresent() && !identity.equals(read.get().disk().toString());
  }

  /** Any thread. */
  @Override
  public List<String> warnings() {
    Stream<String> own =
        used.stream()
            .flatMap(now -> now.witness().problem().stream())
            .map(why -> "The quorum disk does not vote: %s".formatted(why));
    return Stream.concat(network.warnings().stream(), own).toList();
  }

  @Override
  public void close() {
    used.ifPresent(now -> now.witness().close());
    used = Optional.empty();
    network.close();
  }
}
