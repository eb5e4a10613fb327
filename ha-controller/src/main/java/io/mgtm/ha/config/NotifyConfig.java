package io.mgtm.ha.config;

import io.mgtm.common.HostPort;
import io.mgtm.ha.model.EventKind;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who is told of events by the leading controller.
 *
 * @param webhooks by name
 */
public record NotifyConfig(Map<String, Webhook> webhooks, Optional<Mail> mail) {
  /** Nobody. */
  public static final NotifyConfig NONE = new NotifyConfig(Map.of(), Optional.empty());

  /** Keeps the map immutable. */
  public NotifyConfig {
    webhooks = Map.copyOf(webhooks);
  }

  /**
   * A program that takes events by HTTP POST.
   *
   * @param secretFile a file whose first line is the secret that what is sent is signed with
   * @param trust PEM: what its certificate is, or is signed by; Java's own authorities otherwise
   * @param events of which kinds
   */
  public record Webhook(URI url, Path secretFile, Optional<Path> trust, Set<EventKind> events) {}

  /**
   * People who are told by mail.
   *
   * @param server of the mail, SMTP
   * @param startTls whether nothing is sent before the connection is encrypted
   * @param trust PEM: what the server's certificate is, or is signed by
   * @param user whom the server knows, with the password in the first line of a file
   * @param events of which kinds
   */
  public record Mail(
      HostPort server,
      boolean startTls,
      Optional<Path> trust,
      Optional<String> user,
      Optional<Path> passwordFile,
      String from,
      List<String> to,
      Set<EventKind> events) {

    /** Keeps the list immutable. */
    public Mail {
      to = List.copyOf(to);
    }
  }
}
