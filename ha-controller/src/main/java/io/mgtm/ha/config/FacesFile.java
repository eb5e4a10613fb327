package io.mgtm.ha.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.common.TlsFiles;
import io.mgtm.ha.config.NotifyConfig.Mail;
import io.mgtm.ha.config.NotifyConfig.Webhook;
import io.mgtm.ha.model.EventKind;
import io.mgtm.ha.model.Role;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import javax.security.auth.x500.X500Principal;

/** The keys of a file that say how this machine's controller is asked, and whom it tells. */
final class FacesFile {
  private static final Set<EventKind> BY_DEFAULT = EnumSet.complementOf(EnumSet.of(EventKind.COPY));

  private final YamlText yaml;

  FacesFile(YamlText yaml) {
    this.yaml = yaml;
  }

  TlsFiles tls() {
    JsonNode set = yaml.root().path("tls");
    return new TlsFiles(
        "tls.",
        file(set, "certificate").orElse(null),
        file(set, "key").orElse(null),
        file(set, "trust").orElse(null));
  }

  AccessConfig access() throws ConfigException {
    JsonNode set = yaml.root().path("access");
    Map<X500Principal, Role> certificates = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : set.path("certificates").properties()) {
      String at = "/access/certificates/" + entry.getKey();
      try {
        certificates.put(
            new X500Principal(entry.getKey()),
            Role.valueOf(entry.getValue().asText().toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw yaml.error(at, "is no subject of a certificate, expected one as CN=anna,O=orders", e);
      }
    }
    if (!certificates.isEmpty() && yaml.root().path("tls").path("trust").isMissingNode()) {
      throw yaml.error(
          "/access/certificates", "no certificate is asked for without tls.trust; set that too");
    }
    return new AccessConfig(file(set, "tokenFile"), certificates);
  }

  NotifyConfig tellWhom() throws ConfigException {
    JsonNode set = yaml.root().path("notify");
    Map<String, Webhook> webhooks = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : set.path("webhooks").properties()) {
      webhooks.put(entry.getKey(), webhook("/notify/webhooks/" + entry.getKey(), entry.getValue()));
    }
    return new NotifyConfig(
        webhooks,
        set.has("mail") ? Optional.of(mail("/notify/mail", set.get("mail"))) : Optional.empty());
  }

  private Webhook webhook(String at, JsonNode set) throws ConfigException {
    URI url;
    try {
      url = new URI(set.get("url").asText());
    } catch (URISyntaxException e) {
      throw yaml.error(at + "/url", "is no URL: " + e.getMessage(), e);
    }
    if (!Set.of("http", "https").contains(String.valueOf(url.getScheme()))
        || url.getHost() == null
        || url.getUserInfo() != null) {
      throw yaml.error(at + "/url", "expected http:// or https://, a host, and no user");
    }
    return new Webhook(
        url, Path.of(set.get("secretFile").asText()), file(set, "trust"), kinds(set));
  }

  private Mail mail(String at, JsonNode set) throws ConfigException {
    HostPort server;
    try {
      server = HostPort.parse(set.get("server").asText());
    } catch (IllegalArgumentException e) {
      throw yaml.error(at + "/server", e.getMessage(), e);
    }
    Optional<String> user = Optional.ofNullable(set.get("user")).map(JsonNode::asText);
    Optional<Path> password = file(set, "passwordFile");
    boolean startTls = set.path("startTls").asBoolean(true);
    if (user.isPresent() != password.isPresent()) {
      throw yaml.error(at, "user and passwordFile are set together, or neither is");
    }
    if (user.isPresent() && !startTls) {
      throw yaml.error(at + "/startTls", "a password does not go over the network in the clear");
    }
    return new Mail(
        server,
        startTls,
        file(set, "trust"),
        user,
        password,
        set.get("from").asText(),
        StreamSupport.stream(set.get("to").spliterator(), false).map(JsonNode::asText).toList(),
        kinds(set));
  }

  private static Set<EventKind> kinds(JsonNode set) {
    if (!set.has("events")) {
      return BY_DEFAULT;
    }
    Set<EventKind> kinds = EnumSet.noneOf(EventKind.class);
    set.get("events")
        .forEach(kind -> kinds.add(EventKind.valueOf(kind.asText().toUpperCase(Locale.ROOT))));
    return kinds;
  }

  private static Optional<Path> file(JsonNode set, String key) {
    return Optional.ofNullable(set.get(key)).map(text -> Path.of(text.asText()));
  }
}
