package io.mgtm.block.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.wire.Endpoint;
import io.mgtm.common.Sockets;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that asks and asks but takes no replies. */
class NbdBackpressureTest {
  private static final int READ_BYTES = 1 << 20;
  private static final int REQUESTS = 2_000;

  @TempDir Path folder;

  @Test
  void aClientThatTakesNoRepliesCostsABoundedAmountOfMemory() throws Exception {
    MemoryExport export = new MemoryExport(READ_BYTES);
    EventLoopGroup group = Sockets.loops(1, "test");
    EventLoop loop = group.next();
    Path path = folder.resolve("nbd");
    try (NbdServer server =
            NbdServer.listen(
                Endpoint.parse("unix:" + path), loop, export, new NbdMeter(), NbdTls.NONE);
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      assertThat(server.endpoint().path()).isEqualTo(path.toString());
      channel.connect(UnixDomainSocketAddress.of(path));
      DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
      enter(in, new DataOutputStream(Channels.newOutputStream(channel)));
      channel.write(requests());

      // Three turns of the loop without a read: it has stopped.
      int quiet = 0;
      for (int seen = -1; quiet < 3; ) {
        int now = loop.submit(() -> export.reads.get()).get(180, TimeUnit.SECONDS);
        quiet = now == seen && now > 0 ? quiet + 1 : 0;
        seen = now;
      }
      assertThat((long) export.reads.get() * READ_BYTES)
          .as("bytes read for a client that takes none")
          .isLessThan(3L * NbdServer.UNTAKEN_BYTES_MAX);

      byte[] reply = new byte[READ_BYTES];
      for (int i = 0; i < REQUESTS; i++) {
        assertThat(in.readInt()).isEqualTo(Nbd.SIMPLE_REPLY_MAGIC);
        assertThat(in.readInt()).isZero();
        assertThat(in.readLong()).isEqualTo(i);
        in.readFully(reply);
      }
      assertThat(export.reads.get()).isEqualTo(REQUESTS);
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(180, TimeUnit.SECONDS);
    }
  }

  private static void enter(DataInputStream in, DataOutputStream out) throws Exception {
    in.skipNBytes(18);
    byte[] name = "disk".getBytes(StandardCharsets.UTF_8);
    out.writeInt(3);
    out.writeLong(Nbd.OPTION_MAGIC);
    out.writeInt(Nbd.OPT_EXPORT_NAME);
    out.writeInt(name.length);
    out.write(name);
    out.flush();
    in.skipNBytes(10);
  }

  private static ByteBuffer requests() {
    ByteBuffer all = ByteBuffer.allocate(REQUESTS * Nbd.REQUEST_HEADER_BYTES);
    for (int i = 0; i < REQUESTS; i++) {
      all.putInt(Nbd.REQUEST_MAGIC).putShort((short) 0).putShort((short) Nbd.CMD_READ);
      all.putLong(i).putLong(0).putInt(READ_BYTES);
    }
    return all.flip();
  }
}
