package io.mgtm.gtm.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands as they stand in the log, and as gateways send them. */
class CommandCodecTest {
  static Set<Map.Entry<Command, String>> pictures() {
    return SampleCommands.withPictures().entrySet();
  }

  static List<Command> commands() {
    return SampleCommands.all();
  }

  /** Commands that only ask. */
  static List<Command> queries() {
    return List.of(
        new TransactionCommand.GetNextGxid(),
        new TransactionCommand.GetStatus(TransactionRef.gxid(1)),
        new TransactionCommand.ListTransactions(),
        new TransactionCommand.ListPrepared(),
        new SequenceCommand.LastValue("s\0"),
        new SequenceCommand.ListAll(),
        new NodeCommand.ListAll(),
        new BackupCommand.BeginBackup(1),
        new BackupCommand.EndBackup(1),
        new BackupCommand.ListBarriers());
  }

  private static byte[] bytes(String picture) {
    return HexFormat.of().parseHex(picture.replace(" ", ""));
  }

  private static byte[] encode(Command command) {
    ByteBuffer out = ByteBuffer.allocate(64 * 1024);
    CommandCodec.encodeLogged(command, out);
    return Arrays.copyOf(out.array(), out.position());
  }

  @Test
  void everyTypeIsEitherAQueryOrHasASample() {
    Set<CommandType> logged = commands().stream().map(Command::type).collect(Collectors.toSet());
    Set<CommandType> asking = queries().stream().map(Command::type).collect(Collectors.toSet());
    assertThat(logged)
        .isEqualTo(
            Stream.of(CommandType.values()).filter(t -> !t.query()).collect(Collectors.toSet()));
    assertThat(asking)
        .isEqualTo(
            Stream.of(CommandType.values()).filter(CommandType::query).collect(Collectors.toSet()));
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void aCommandKeepsItsBytesForEver(Map.Entry<Command, String> sample) {
    assertThat(HexFormat.of().formatHex(encode(sample.getKey())))
        .isEqualTo(sample.getValue().replace(" ", ""));
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void aCommandComesBackAsItWas(Map.Entry<Command, String> sample) {
    ByteBuffer in = ByteBuffer.wrap(bytes(sample.getValue()));
    assertThat(CommandCodec.decodeLogged(in)).isEqualTo(sample.getKey());
    assertThat(in.hasRemaining()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("queries")
  void aQueryComesBackAsItWas(Command query) {
    ByteBuffer bytes = ByteBuffer.allocate(4_096);
    CommandCodec.encode(query, bytes);
    bytes.flip();
    assertThat(CommandCodec.decode(bytes)).isEqualTo(query);
    assertThat(bytes.hasRemaining()).isFalse();
  }

  @Test
  void commandsFollowEachOther() {
    ByteBuffer all = ByteBuffer.allocate(64 * 1024);
    commands().forEach(c -> CommandCodec.encodeLogged(c, all));
    all.flip();
    for (Command command : commands()) {
      assertThat(CommandCodec.decodeLogged(all)).isEqualTo(command);
    }
    assertThat(all.hasRemaining()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aCommandThatIsCutIsTooShort(Command command) {
    byte[] whole = encode(command);
    for (int length = 0; length < whole.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(whole, 0, length).slice();
      assertThatThrownBy(() -> CommandCodec.decodeLogged(cut))
          .as("%d of %d bytes", length, whole.length)
          .isInstanceOf(BufferUnderflowException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aBufferThatIsTooSmallOverflows(Command command) {
    int length = encode(command).length;
    assertThatThrownBy(() -> CommandCodec.encodeLogged(command, ByteBuffer.allocate(length - 1)))
        .isInstanceOf(BufferOverflowException.class);
  }

  @Test
  void codesOfNewerVersionsAndOfQueriesAreUnknown() {
    Set<Byte> known = commands().stream().map(c -> c.type().code()).collect(Collectors.toSet());
    for (int code = Byte.MIN_VALUE; code <= Byte.MAX_VALUE; code++) {
      if (!known.contains((byte) code)) {
        ByteBuffer in = ByteBuffer.allocate(64).put(0, (byte) code);
        assertThatThrownBy(() -> CommandCodec.decodeLogged(in))
            .as("code %d", code)
            .isInstanceOf(UnknownCommandException.class);
      }
    }
  }

  @Test
  void unknownValuesOfFieldsAreUnknown() {
    List<String> broken =
        List.of(
            "0a 0000000000000001 0000 02 00", // isolation level
            "0a 0000000000000001 0000 01 03", // begin kind
            "0d 01 00000005 02", // outcome
            "02 0000000000000001 0000 00 00", // node type
            "02 0000000000000001 0000 07 00",
            "3d ff 0000");
    for (String picture : broken) {
      assertThatThrownBy(() -> CommandCodec.decodeLogged(ByteBuffer.wrap(bytes(picture))))
          .as(picture)
          .isInstanceOf(UnknownCommandException.class);
    }
  }

  @Test
  void countsThatDoNotFitAreTooShortBeforeAnythingIsAllocated() {
    for (String count : List.of("7fffffff", "ffffffff", "80000000", "00000002")) {
      for (String head : List.of("0e", "1f", "0b 0000000000000001")) {
        ByteBuffer in = ByteBuffer.wrap(bytes(head + count + "01 00000005"));
        assertThatThrownBy(() -> CommandCodec.decodeLogged(in))
            .isInstanceOf(BufferUnderflowException.class);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("queries")
  void queriesAreNotLogged(Command query) {
    assertThatThrownBy(() -> encode(query))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("it is not logged");
  }

  @Test
  void aNameThatIsTooLongIsNotCut() {
    Command barrier = new BackupCommand.Barrier("x".repeat(FieldWriter.STRING_BYTES_MAX + 1));
    assertThatThrownBy(() -> CommandCodec.encodeLogged(barrier, ByteBuffer.allocate(1 << 17)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a name of 65536 bytes cannot be stored");
    Command longest = new BackupCommand.Barrier("x".repeat(FieldWriter.STRING_BYTES_MAX));
    ByteBuffer out = ByteBuffer.allocate(1 << 17);
    CommandCodec.encodeLogged(longest, out);
    assertThat(CommandCodec.decodeLogged(out.flip())).isEqualTo(longest);
  }

  private static Stream<Class<?>> records(Class<?> sealed) {
    return sealed.isSealed()
        ? Arrays.stream(sealed.getPermittedSubclasses())
            .flatMap(CommandCodecTest::records)
            .distinct()
        : Stream.of(sealed);
  }

  /** Gateways may send none that names the session of another. */
  @Test
  void everyCommandWithASessionThatAGatewayMaySendSaysSo() {
    List<Class<?>> named =
        records(Command.class)
            .filter(
                type ->
                    Arrays.stream(type.getRecordComponents())
                        .anyMatch(c -> c.getName().equals("session")))
            .filter(type -> !Command.OfSession.class.isAssignableFrom(type))
            .toList();
    assertThat(named)
        .as("the GTM's own")
        .containsExactlyInAnyOrder(
            SessionCommand.OpenSession.class,
            SessionCommand.CloseSession.class,
            SessionCommand.Numbered.class,
            SessionCommand.OpenGateway.class);
  }
}
