package io.mgtm.gtm.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.common.AllowList;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The UNIX socket in a node's data folder: whoever may write to that as this process' user may, is
 * an operator. Any thread.
 */
public final class LocalSocket {
  /** In the data folder. */
  public static final String NAME = "mgtm.sock";

  /** What a socket's address has room for. */
  private static final int PATH_BYTES_MAX = 107;

  private LocalSocket() {}

  /** Whether a socket can have this path. */
  public static boolean fits(Path path) {
    return path.toString().getBytes(UTF_8).length <= PATH_BYTES_MAX;
  }

  /** Only this user may connect from here on. */
  public static void close(Path path) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
  }

  /** Whether a connection over a socket is of this process' user, or of root. */
  public static boolean isOwners(Channel channel, Path path) throws IOException {
    int user = ((EpollDomainSocketChannel) channel).peerCredentials().uid();
    return user == 0 || user == (int) Files.getAttribute(path, "unix:uid");
  }

  /** Whether a connection came over the socket. */
  public static boolean is(Channel channel) {
    return channel instanceof DomainSocketChannel;
  }

  /** Whether the other end of a connection is on this machine. */
  public static boolean isThisMachine(Channel channel) {
    return is(channel) || AllowList.isThisMachine(channel.remoteAddress());
  }
}
