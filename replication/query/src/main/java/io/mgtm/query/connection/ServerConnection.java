package io.mgtm.query.connection;

import io.mgtm.common.HostPort;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.ReferenceCountUtil;
import java.util.List;

/**
 * A connection to a server that was entered, with nobody yet who handles what it sends.
 *
 * @param pid of the backend, and the secret that cancels what it runs
 * @param greeting what it sent after it had let us in, up to and with ReadyForQuery; the owner of
 *     the connection passes it on or releases it
 */
public record ServerConnection(
    HostPort server, Channel channel, int pid, int secret, List<Frame> greeting) {
  public ServerConnection {
    greeting = List.copyOf(greeting);
  }

  /** What it said of a setting; empty where it said nothing. */
  public String setting(String name) {
    for (Frame frame : greeting) {
      ByteBuf body = frame.body();
      if (frame.type() == 'S' && StartupPacket.text(body).equals(name)) {
        return StartupPacket.text(body);
      }
    }
    return "";
  }

  /** For who does not pass the greeting on. */
  public void releaseGreeting() {
    greeting.forEach(ReferenceCountUtil::release);
  }

  @Override
  public String toString() {
    return server + " backend " + pid;
  }
}
