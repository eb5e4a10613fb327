package io.mgtm.block.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mgtm.block.wire.BlockChannels;
import io.mgtm.block.wire.Endpoint;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Consumer;

/**
 * The control socket in the metadata directory: one line of JSON in, one line out. Only the
 * socket's owner may connect. On the owner's event loop.
 *
 * <pre>
 * {"command":"promote","force":true}
 * {"ok":true}   or   {"ok":false,"error":"..."}
 * </pre>
 */
final class Control implements AutoCloseable {
  private static final int LINE_BYTES_MAX = 16 * 1024;
  private static final int IDLE_SECONDS_MAX = 600;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Carries a command out. */
  @FunctionalInterface
  interface Commands {
    /** Answers, perhaps later, with a JSON object; {@code ok} tells how it went. */
    void run(JsonNode command, Consumer<Object> answer);
  }

  private final Channel channel;
  private final Path path;

  private Control(Channel channel, Path path) {
    this.channel = channel;
    this.path = path;
  }

  static Control listen(Endpoint endpoint, EventLoop owner, Commands commands) throws IOException {
    Path path = Path.of(endpoint.path());
    Files.deleteIfExists(path);
    var bound =
        new ServerBootstrap()
            .group(owner)
            .channel(BlockChannels.serverChannel(endpoint))
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel child) {
                    child
                        .pipeline()
                        .addLast(
                            new ReadTimeoutHandler(IDLE_SECONDS_MAX),
                            new LineBasedFrameDecoder(LINE_BYTES_MAX),
                            new StringDecoder(),
                            new StringEncoder(),
                            new Lines(commands));
                  }
                })
            .bind(endpoint.socketAddress())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen at " + path + ": " + bound.cause().getMessage(), bound.cause());
    }
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    return new Control(bound.channel(), path);
  }

  /** One connection. */
  private static final class Lines extends SimpleChannelInboundHandler<String> {
    private final Commands commands;

    Lines(Commands commands) {
      this.commands = commands;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, String line) {
      try {
        JsonNode command = JSON.readTree(line);
        commands.run(command, answer -> answer(ctx, answer));
      } catch (JsonProcessingException e) {
        answer(ctx, refusal("a command must be one line of JSON: " + e.getOriginalMessage()));
      }
    }

    private static void answer(ChannelHandlerContext ctx, Object answer) {
      try {
        var unused = ctx.writeAndFlush(JSON.writeValueAsString(answer) + "\n", ctx.voidPromise());
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("an answer cannot be written", e);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      var unused = ctx.close();
    }
  }

  static ObjectNode done() {
    return JSON.createObjectNode().put("ok", true);
  }

  static ObjectNode refusal(String error) {
    return JSON.createObjectNode().put("ok", false).put("error", error);
  }

  /** Null means done, anything else why not. */
  static ObjectNode outcome(String refusal) {
    return refusal == null ? done() : refusal(refusal);
  }

  @Override
  public void close() throws IOException {
    channel.close().awaitUninterruptibly();
    Files.deleteIfExists(path);
  }
}
