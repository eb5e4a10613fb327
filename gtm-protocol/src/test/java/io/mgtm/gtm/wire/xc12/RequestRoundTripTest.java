package io.mgtm.gtm.wire.xc12;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a client writes is what a server reads. */
class RequestRoundTripTest {
  private static final long SESSION = 77;
  private static final short BACKEND = 513;
  private static final TransactionRef GXID = TransactionRef.gxid(0xfedc_ba98);
  private static final TransactionRef HANDLE = TransactionRef.handle(12);
  private static final String KEY = "db.s\u00e4.q\0";

  private static final EnumSet<CommandType> WITHOUT_MESSAGE =
      EnumSet.of(
          CommandType.RESTART,
          CommandType.OPEN_SESSION,
          CommandType.NUMBERED,
          CommandType.OPEN_FRONT,
          CommandType.ANNOUNCE_MEMBER,
          CommandType.SERVE_TERM,
          CommandType.SKIP_AHEAD,
          CommandType.CLOSE_SESSION,
          CommandType.START_GXIDS,
          CommandType.RESTORE_SEQUENCE);

  /** What one connection's decoder handed over. */
  private static final class Collector implements RequestHandler {
    private Startup startup;
    private final List<MessageType> types = new ArrayList<>();
    private final List<Short> backends = new ArrayList<>();
    private final List<Command> commands = new ArrayList<>();
    private boolean terminated;

    @Override
    public void startup(Startup read) {
      startup = read;
    }

    @Override
    public void command(MessageType type, short backend, Command command) {
      types.add(type);
      backends.add(backend);
      commands.add(command);
    }

    @Override
    public void refused(MessageType type, short backend, String message, String hint) {
      throw new AssertionError(type + " was refused: " + message);
    }

    @Override
    public void terminate() {
      terminated = true;
    }
  }

  static Stream<Command> commands(short backend) {
    return Stream.of(
            transactions(backend),
            Stream.of(
                new SnapshotCommand.GetSnapshot(GXID),
                new SnapshotCommand.GetSnapshotMany(List.of(GXID, HANDLE)),
                new SnapshotCommand.AssignGxidAndGetSnapshot(HANDLE)),
            sequences(),
            Stream.of(
                new NodeCommand.Register(
                    SESSION, new NodeAddress(NodeType.DATANODE, "d1", "p", "::1", 5432, "/d")),
                new NodeCommand.Unregister(NodeType.COORDINATOR, "c1"),
                new NodeCommand.ListAll(),
                new SessionCommand.DisconnectBackend(SESSION, backend, false, null, ""),
                new SessionCommand.DisconnectBackend(
                    SESSION, backend, true, NodeType.DATANODE, "d1"),
                new BackupCommand.Barrier("night"),
                new BackupCommand.BeginBackup(SESSION),
                new BackupCommand.EndBackup(SESSION),
                new BackupCommand.ListBarriers()))
        .flatMap(s -> s);
  }

  private static Stream<Command> transactions(short backend) {
    return Stream.of(
        new TransactionCommand.Begin(
            SESSION, backend, Isolation.SERIALIZABLE, true, BeginKind.HANDLE),
        new TransactionCommand.Begin(
            SESSION, backend, Isolation.READ_COMMITTED, false, BeginKind.GXID),
        new TransactionCommand.Begin(
            SESSION, backend, Isolation.READ_COMMITTED, true, BeginKind.AUTOVACUUM),
        new TransactionCommand.BeginMany(
            SESSION,
            List.of(
                new BeginItem((short) 3, Isolation.READ_COMMITTED, true),
                new BeginItem((short) 900, Isolation.SERIALIZABLE, false))),
        new TransactionCommand.AssignGxid(HANDLE),
        new TransactionCommand.End(GXID, Outcome.COMMIT),
        new TransactionCommand.End(HANDLE, Outcome.ROLLBACK),
        new TransactionCommand.EndMany(List.of(GXID, HANDLE), Outcome.COMMIT),
        new TransactionCommand.EndMany(List.of(HANDLE), Outcome.ROLLBACK),
        new TransactionCommand.StartPrepare(GXID, "g\u00ef", "c1,d1"),
        new TransactionCommand.Prepare(GXID),
        new TransactionCommand.CommitPrepared(GXID, TransactionRef.gxid(5)),
        new TransactionCommand.BeginForPrepared(
            SESSION, backend, Isolation.SERIALIZABLE, true, "g"),
        new TransactionCommand.AdvanceOldestGxid(-2),
        new TransactionCommand.GetNextGxid(),
        new TransactionCommand.GetStatus(GXID),
        new TransactionCommand.ListTransactions(),
        new TransactionCommand.ListPrepared());
  }

  private static Stream<Command> sequences() {
    return Stream.of(
        new SequenceCommand.Init(KEY, -1, Long.MIN_VALUE, -1, -1, true),
        new SequenceCommand.NextValue(KEY),
        new SequenceCommand.LastValue(KEY),
        new SequenceCommand.SetValue(KEY, 1L << 40, true),
        new SequenceCommand.Reset(KEY),
        new SequenceCommand.Close(KEY),
        new SequenceCommand.CloseDatabase("db\0"),
        new SequenceCommand.Rename(KEY, "db.s.r\0"),
        new SequenceCommand.Alter(KEY, 2, 3, 4, 5, 6, true, false),
        new SequenceCommand.ListAll());
  }

  static Stream<Command> direct() {
    return commands(Command.NO_BACKEND);
  }

  static Stream<Command> proxied() {
    return commands(BACKEND);
  }

  private static Collector decode(ByteBuf bytes, boolean byteByByte) throws WireException {
    Collector collector = new Collector();
    RequestDecoder decoder = new RequestDecoder(FrameLimits.FRAME_BYTES_MAX, collector);
    decoder.allowOperators();
    decoder.session(SESSION);
    if (byteByByte) {
      ByteBuf fed = Unpooled.buffer();
      while (bytes.isReadable()) {
        decoder.decode(fed.writeByte(bytes.readByte()));
      }
      bytes = fed;
    }
    decoder.decode(bytes);
    assertThat(bytes.readableBytes()).isZero();
    return collector;
  }

  @ParameterizedTest
  @MethodSource("direct")
  void aServerReadsTheCommandThatAClientWrote(Command command) throws WireException {
    ByteBuf bytes = Unpooled.buffer();
    RequestEncoder encoder = new RequestEncoder();
    encoder.startup(bytes, new Startup("n1", NodeType.COORDINATOR, true));
    encoder.command(bytes, false, BACKEND, command);
    Collector read = decode(bytes, false);
    assertThat(read.commands).containsExactly(command);
    assertThat(read.types).containsExactly(RequestEncoder.typeOf(command));
    assertThat(read.backends).containsExactly(Command.NO_BACKEND);
  }

  @ParameterizedTest
  @MethodSource("proxied")
  void aServerReadsTheCommandThatAProxyWroteByteByByte(Command command) throws WireException {
    ByteBuf bytes = Unpooled.buffer();
    RequestEncoder encoder = new RequestEncoder();
    encoder.startup(bytes, new Startup("p1", NodeType.PROXY, false));
    encoder.command(bytes, true, BACKEND, command);
    encoder.flush(bytes);
    encoder.terminate(bytes);
    Collector read = decode(bytes, true);
    assertThat(read.startup).isEqualTo(new Startup("p1", NodeType.PROXY, false));
    assertThat(read.commands).containsExactly(command);
    assertThat(read.backends).containsExactly(BACKEND);
    assertThat(read.terminated).isTrue();
  }

  @Test
  void everyCommandThatHasAMessageIsTried() {
    EnumSet<CommandType> tried = EnumSet.noneOf(CommandType.class);
    direct().forEach(c -> tried.add(c.type()));
    assertThat(tried).isEqualTo(EnumSet.complementOf(WITHOUT_MESSAGE));
  }

  @Test
  void aBeginHasTheBytesOfTheOriginalsClient() {
    ByteBuf bytes = Unpooled.buffer();
    new RequestEncoder()
        .command(
            bytes,
            false,
            Command.NO_BACKEND,
            new TransactionCommand.Begin(
                0, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, BeginKind.GXID));
    assertThat(ByteBufUtil.hexDump(bytes)).isEqualTo("430000000d0000000d0000000100");
  }

  @Test
  void whatHasNoMessageIsRefused() {
    RequestEncoder encoder = new RequestEncoder();
    assertThatThrownBy(
            () ->
                encoder.command(
                    Unpooled.buffer(), false, BACKEND, new SessionCommand.CloseSession(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () ->
                encoder.command(
                    Unpooled.buffer(), false, BACKEND, new TransactionCommand.AssignGxid(GXID)))
        .hasMessageContaining("by handle");
    assertThatThrownBy(
            () ->
                encoder.startup(
                    Unpooled.buffer(), new Startup("n".repeat(64), NodeType.DEFAULT, false)))
        .hasMessageContaining("63 bytes");
  }
}
