package io.mgtm.gtm.cli;

import io.mgtm.common.Cli;
import io.mgtm.common.HostPort;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;

/**
 * Where a node is asked: {@code HOST:PORT}, or {@code unix:PATH} of the socket in its data folder.
 *
 * @param tcp null for a socket
 * @param socket null for TCP
 */
record NodeAddress(HostPort tcp, Path socket) {
  private static final String UNIX = "unix:";

  /** For options. */
  static final class Converter implements ITypeConverter<NodeAddress> {
    @Override
    public NodeAddress convert(String text) {
      return Cli.value(text, NodeAddress::parse);
    }
  }

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException when it is neither; the message says what is expected
   */
  static NodeAddress parse(String text) {
    return text.startsWith(UNIX)
        ? new NodeAddress(null, Path.of(text.substring(UNIX.length())))
        : new NodeAddress(HostPort.parse(text), null);
  }

  /** The address, its name looked up now. */
  SocketAddress resolve() {
    return socket == null ? tcp.resolve() : UnixDomainSocketAddress.of(socket);
  }

  @Override
  public String toString() {
    return socket == null ? tcp.toString() : UNIX + socket;
  }
}
