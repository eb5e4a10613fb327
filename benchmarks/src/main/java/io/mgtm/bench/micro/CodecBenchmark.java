package io.mgtm.bench.micro;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.FrameLimits;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.mgtm.gtm.wire.xc12.RequestEncoder;
import io.mgtm.gtm.wire.xc12.RequestHandler;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Decoding a request, encoding its reply, and encoding the command for the log. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark implements RequestHandler {
  @Param Family family;

  private RequestDecoder decoder;
  private final ReplyEncoder encoder = new ReplyEncoder();
  private final ByteBuf request = Unpooled.directBuffer(1024);
  private final ByteBuf out = Unpooled.directBuffer(1024);
  private final ByteBuffer logged = ByteBuffer.allocateDirect(1024);
  private Command command;
  private Reply reply;
  private Command decoded;

  /** Encodes the request. */
  @Setup
  public void encodeRequest() throws WireException {
    decoder = new RequestDecoder(FrameLimits.FRAME_BYTES_MAX, this);
    command = family.command();
    reply = family.reply();
    RequestEncoder requests = new RequestEncoder();
    requests.startup(request, new Startup("bench", NodeType.DEFAULT, false));
    decoder.decode(request);
    request.clear();
    requests.command(request, false, Command.NO_BACKEND, command);
  }

  /** Bytes to a command. */
  @Benchmark
  public Command decode() throws WireException {
    request.readerIndex(0);
    decoder.decode(request);
    return decoded;
  }

  /** A reply to bytes. */
  @Benchmark
  public int encode() {
    out.clear();
    encoder.encode(out, false, Command.NO_BACKEND, reply);
    return out.writerIndex();
  }

  /** A command to its bytes in the log. */
  @Benchmark
  public int encodeForLog() {
    logged.clear();
    CommandCodec.encodeLogged(command, logged);
    return logged.position();
  }

  @Override
  public void startup(Startup startup) {}

  @Override
  public void command(MessageType type, short backend, Command read) {
    decoded = read;
  }

  @Override
  public void refused(MessageType type, short backend, String message, String hint) {
    throw new IllegalStateException(message);
  }

  @Override
  public void terminate() {}
}
