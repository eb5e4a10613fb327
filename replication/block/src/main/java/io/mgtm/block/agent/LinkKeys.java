package io.mgtm.block.agent;

import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.link.LinkSecurity;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.block.wire.LinkKey;
import io.mgtm.common.AllowList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The key of a volume's links, {@code link.key} in its metadata directory, and who needs one. */
final class LinkKeys {
  private static final String FILE = "link.key";

  private LinkKeys() {}

  /** Makes the key of a new volume's first copy. */
  static LinkKey make(Path meta) throws IOException {
    LinkKey key = LinkKey.random();
    key.write(meta.resolve(FILE));
    return key;
  }

  /**
   * The key in {@code meta}, where the one in {@code given} is put first if that is not null and
   * there is none yet; null without any.
   *
   * @throws IOException when the two differ or are no keys
   */
  static LinkKey load(Path meta, Path given) throws IOException {
    Path file = meta.resolve(FILE);
    LinkKey key = Files.exists(file) ? LinkKey.read(file) : null;
    if (given == null) {
      return key;
    }
    LinkKey wanted = LinkKey.read(given);
    if (key == null) {
      wanted.write(file);
    } else if (!key.isSame(wanted)) {
      throw new IOException(
          given
              + " holds another key than "
              + file
              + "; to change the volume's key, stop every copy, remove that file and give"
              + " --link-key to each");
    }
    return wanted;
  }

  /**
   * How the links of {@code config} are secured.
   *
   * @throws IOException when they reach beyond this machine and nothing would prove who is there
   */
  static LinkSecurity security(VolumeConfig config) throws IOException {
    boolean certified = config.linkTls().trust() != null;
    LinkSecurity security = new LinkSecurity(load(config.meta(), config.linkKey()), certified);
    if (security.isProving()) {
      return security;
    }
    if (config.receive() != null) {
      check("--receive", config.receive());
    }
    for (var replica : config.replicas()) {
      check("--replica", replica.endpoint());
    }
    return security;
  }

  private static void check(String option, Endpoint endpoint) throws IOException {
    if (!endpoint.isUnix() && !AllowList.isThisMachine(endpoint.socketAddress())) {
      throw new IOException(
          option
              + " "
              + endpoint
              + " reaches beyond this machine, and nothing proves who is at the other end: give"
              + " every copy the same --link-key FILE ('mgtm volume create' makes a key; for a"
              + " volume that has none, 'openssl rand -hex 32 > FILE' does), or certificates both"
              + " ways by --link-tls-certificate, --link-tls-key and --link-tls-trust");
    }
  }
}
