package io.mgtm.gtm.node.connection;

import io.mgtm.common.SecretFile;
import io.mgtm.gtm.config.AccessConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.node.admin.AdminRole;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The secrets that a node knows, and what each of them allows. Without any, everybody may do what a
 * gateway does, and operators may only look, unless they sit at this machine or have shown a
 * certificate. Any thread.
 */
public final class LinkKeys {
  private static final String HINT =
      "ask on the node's own machine, at 127.0.0.1 or its socket, or set links.secretFile";

  private record Key(LinkSecret secret, LinkRights rights) {}

  private final List<Key> keys;
  private final boolean certificates;

  private LinkKeys(List<Key> keys, boolean certificates) {
    this.keys = keys;
    this.certificates = certificates;
  }

  /**
   * Those of a configuration.
   *
   * @throws IOException when a file cannot be read or does not hold a secret, or two hold the same
   */
  public static LinkKeys read(GtmConfig config) throws IOException {
    LinksConfig links = config.links();
    AccessConfig access = config.access();
    boolean administers = access.administerSecretFile() == null;
    Reader reader = new Reader();
    reader.add(
        "links.secretFile",
        links.secretFile(),
        true,
        administers ? AdminRole.ADMINISTER : AdminRole.MONITOR);
    reader.add(
        "access.administerSecretFile", access.administerSecretFile(), false, AdminRole.ADMINISTER);
    reader.add("access.operateSecretFile", access.operateSecretFile(), false, AdminRole.OPERATE);
    reader.add("access.monitorSecretFile", access.monitorSecretFile(), false, AdminRole.MONITOR);
    return new LinkKeys(List.copyOf(reader.keys), links.trust() != null);
  }

  private static final class Reader {
    private final List<Key> keys = new ArrayList<>();
    private final List<String> known = new ArrayList<>();

    void add(String name, Path file, boolean sessions, AdminRole role) throws IOException {
      if (file == null) {
        return;
      }
      List<String> lines = SecretFile.accepted(name, file);
      if (!Collections.disjoint(known, lines)) {
        throw new IOException(
            "%s %s holds the secret of another role; each needs its own".formatted(name, file));
      }
      known.addAll(lines);
      LinkRights rights = new LinkRights(sessions, role, "it has shown the secret of " + name);
      lines.forEach(line -> keys.add(new Key(new LinkSecret(line), rights)));
    }
  }

  /** Whether a link is asked for a secret; one over the node's own socket has shown enough. */
  boolean ask(Channel channel) {
    return !keys.isEmpty() && !LocalSocket.is(channel);
  }

  /** What this node itself shows to the other members; null for nothing. */
  LinkSecret own() {
    return keys.isEmpty() ? null : keys.get(0).secret();
  }

  /** What an answer to a challenge allows; null when it is that of no secret. */
  LinkRights shownBy(byte[] nonce, String name, byte[] answer) {
    LinkRights found = null;
    for (Key key : keys) {
      if (key.secret().accepts(nonce, name, answer)) {
        found = key.rights();
      }
    }
    return found;
  }

  /** What a link may do where no secret is asked for. */
  LinkRights unasked(Channel channel) {
    if (certificates && channel.pipeline().get(SslHandler.class) != null) {
      return new LinkRights(true, AdminRole.ADMINISTER, "it has shown a certificate");
    }
    return LocalSocket.isThisMachine(channel)
        ? new LinkRights(true, AdminRole.ADMINISTER, "it comes from this machine")
        : new LinkRights(true, AdminRole.MONITOR, "it comes from another machine; " + HINT);
  }
}
