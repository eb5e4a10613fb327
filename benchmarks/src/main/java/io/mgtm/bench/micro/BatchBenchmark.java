package io.mgtm.bench.micro;

import io.mgtm.group.Durability;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.GatewayFrameDecoder;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A batch on its way: the frame of commands from a gateway to a node, a third of them each begin,
 * snapshot and commit, and the message with as many entries of 60 bytes from a leader to the
 * others.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BatchBenchmark {
  private static final int PAYLOAD_BYTES = 60;
  private static final List<Family> MIX = List.of(Family.BEGIN, Family.SNAPSHOT, Family.COMMIT);

  @Param({"1", "64"})
  int batch;

  private final ByteBuffer scratch = ByteBuffer.allocate(1 << 16);
  private final ByteBuf out = Unpooled.directBuffer(1 << 16);
  private final ByteBuf commandBytes = Unpooled.directBuffer(1 << 16);
  private final MemberId leader = new MemberId("g1", new UUID(1, 1));
  private Command[] commands;
  private Message.Append entries;
  private byte[] message;

  /** Makes a batch, and encodes it. */
  @Setup
  public void prepare() {
    commands =
        IntStream.range(0, batch)
            .mapToObj(i -> MIX.get(i % MIX.size()).command())
            .toArray(Command[]::new);
    putCommands();
    Entry entry =
        new Entry(
            1, EntryKind.COMMAND, Durability.BUFFERED, ByteBuffer.wrap(new byte[PAYLOAD_BYTES]));
    entries = new Message.Append(1, null, 1, 1, 1, 1, Collections.nCopies(batch, entry));
    message = MessageCodec.encode(leader, entries);
  }

  private void putCommands() {
    commandBytes.clear();
    for (Command command : commands) {
      commandBytes.writeBytes(Requests.encodeForLink(command, scratch));
    }
  }

  /** Commands to a frame. */
  @Benchmark
  public int encodeCommands() {
    putCommands();
    LinkWriter.commands(out.clear(), 1, 0, 1, batch, commandBytes);
    return out.writerIndex();
  }

  /** The frame's body to commands. */
  @Benchmark
  public List<LinkCommand> decodeCommands() throws WireException {
    return GatewayFrameDecoder.commands(commandBytes.readerIndex(0), batch);
  }

  /** Entries to a message. */
  @Benchmark
  public byte[] encodeEntries() {
    return MessageCodec.encode(leader, entries);
  }

  /** The message to entries. */
  @Benchmark
  public MessageCodec.Envelope decodeEntries() {
    return MessageCodec.decode(ByteBuffer.wrap(message));
  }
}
