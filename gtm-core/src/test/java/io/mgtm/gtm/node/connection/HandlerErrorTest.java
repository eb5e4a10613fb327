package io.mgtm.gtm.node.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.NoEngine;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** An error in a connection's handler ends that connection; one in the state ends the node. */
class HandlerErrorTest {
  private static final long SESSION = LinkFormat.SESSION_BIT | 1;

  private final AtomicReference<Throwable> fatal = new AtomicReference<>();
  private int closes;

  /** An engine that breaks. */
  private final class Broken extends NoEngine {
    @Override
    public void submit(LinkWork work) {
      closes += work instanceof LinkWork.Close ? 1 : 0;
      throw new AssertionError("a broken invariant");
    }
  }

  private EmbeddedChannel link() throws IOException {
    EmbeddedChannel channel =
        EmbeddedConnections.link(
            new EmbeddedChannel(),
            new Broken(),
            null,
            LinkKeys.read(GtmConfig.DEFAULTS),
            new PartialBudget(1),
            fatal::set);
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, LinkFormat.VERSION);
    LinkWriter.hello(out, "p1", GatewayKind.PROXY);
    channel.writeInbound(out);
    return channel;
  }

  @Test
  void anErrorOfALinkEndsTheLink() throws IOException {
    EmbeddedChannel channel = link();
    channel.pipeline().fireExceptionCaught(new OutOfMemoryError("Direct buffer memory"));
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void anErrorOfAClientEndsItsConnection() {
    EmbeddedChannel channel =
        EmbeddedConnections.client(new EmbeddedChannel(), new PartialBudget(1), fatal::set);
    channel.pipeline().fireExceptionCaught(new StackOverflowError());
    assertThat(channel.isOpen()).isFalse();
    assertThat(fatal.get()).isNull();
  }

  @Test
  void anErrorOfTheEngineEndsTheNode() throws IOException {
    EmbeddedChannel channel = link();
    assertThat(fatal.get()).isNull();
    ByteBuf out = Unpooled.buffer();
    LinkWriter.close(out, SESSION);
    LinkWriter.close(out, SESSION);
    channel.writeInbound(out);
    assertThat(fatal.get()).hasMessage("a broken invariant");
    assertThat(closes).as("what the same read brought behind it is not served").isEqualTo(1);
  }
}
