package io.mgtm.ha.notify;

import io.mgtm.common.SecretFile;
import io.mgtm.common.TlsFiles;
import io.mgtm.ha.config.NotifyConfig;
import io.mgtm.ha.core.Event;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** Sends events as a mail. */
final class MailOutlet implements Outlet {
  private static final String TIMEOUT_MS = "10000";
  private static final int SUBJECT_MAX = 150;

  private final String cluster;
  private final NotifyConfig.Mail config;
  private final Session session;
  private final Optional<String> password;

  /**
   * As configured.
   *
   * @throws IOException when a file cannot be used
   */
  MailOutlet(String cluster, NotifyConfig.Mail config) throws IOException {
    this.cluster = cluster;
    this.config = config;
    this.password =
        config.passwordFile().isPresent()
            ? Optional.of(
                SecretFile.firstLine("notify.mail.passwordFile", config.passwordFile().get()))
            : Optional.empty();
    Properties set = new Properties();
    set.put("mail.smtp.host", config.server().host());
    set.put("mail.smtp.port", Integer.toString(config.server().port()));
    set.put("mail.smtp.connectiontimeout", TIMEOUT_MS);
    set.put("mail.smtp.timeout", TIMEOUT_MS);
    set.put("mail.smtp.writetimeout", TIMEOUT_MS);
    set.put("mail.smtp.auth", Boolean.toString(config.user().isPresent()));
    if (config.startTls()) {
      set.put("mail.smtp.starttls.enable", "true");
      set.put("mail.smtp.starttls.required", "true");
      set.put("mail.smtp.ssl.checkserveridentity", "true");
      TlsFiles tls = new TlsFiles("notify.mail.", null, null, config.trust().orElse(null));
      set.put(
          "mail.smtp.ssl.socketFactory",
          tls.client("TLSv1.3", "TLSv1.2").context().getSocketFactory());
    }
    this.session = Session.getInstance(set);
  }

  @Override
  public void send(List<Event> events, long lost) throws IOException {
    try {
      MimeMessage mail = new MimeMessage(session);
      mail.setFrom(new InternetAddress(config.from()));
      for (String to : config.to()) {
        mail.addRecipient(Message.RecipientType.TO, new InternetAddress(to));
      }
      mail.setSubject(subject(events), StandardCharsets.UTF_8.name());
      mail.setText(text(events, lost), StandardCharsets.UTF_8.name());
      mail.setHeader(
          "Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(OffsetDateTime.now(ZoneOffset.UTC)));
      Transport.send(mail, config.user().orElse(null), password.orElse(null));
    } catch (MessagingException e) {
      throw new IOException("the mail server %s: %s".formatted(config.server(), e.getMessage()), e);
    }
  }

  private String subject(List<Event> events) {
    Event newest = events.get(events.size() - 1);
    String more = events.size() == 1 ? "" : " (and %d more)".formatted(events.size() - 1);
    // What a program has printed may have lines, and a header is one.
    String what = newest.what().replaceAll("\\p{C}+", " ");
    return "[%s] %s: %s%s"
        .formatted(
            cluster,
            newest.subject(),
            what.substring(0, Math.min(SUBJECT_MAX, what.length())),
            more);
  }

  private static String text(List<Event> events, long lost) {
    StringBuilder text = new StringBuilder();
    if (lost > 0) {
      text.append(lost).append(" events before these are not kept any more.\n\n");
    }
    for (Event event : events) {
      text.append(
          "%s  %s  %s%n    by %s: %s%n"
              .formatted(
                  Instant.ofEpochMilli(event.wall()),
                  event.subject(),
                  event.what(),
                  event.by(),
                  event.cause()));
      event
          .observations()
          .forEach((what, seen) -> text.append("      %s: %s%n".formatted(what, seen)));
    }
    return text.append("\nmgtm ha why EVENT tells more; mgtm ha status shows how it is now.\n")
        .toString();
  }
}
