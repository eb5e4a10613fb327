package io.mgtm.query.server;

import io.mgtm.query.scram.ScramClient;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.FrameSplitter;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Enters all servers that are in for one client. Belongs to the client's loop. */
final class ReplicatedLogin {
  /**
   * Settings by which values are sent to other servers as texts and read there: what they are set
   * to, and what a client may set them to itself.
   */
  private static final List<Fixed> FIXED =
      List.of(
          new Fixed("extra_float_digits", "1", "[1-3]"),
          new Fixed("array_nulls", "on", "on"),
          new Fixed("xmloption", "content", "content"));

  private record Fixed(String name, String to, String allowed) {}

  private static final Pattern HOURS = Pattern.compile("(?<![:\\d])\\d+");
  private static final List<String> RELIED_ON =
      List.of("DateStyle", "TimeZone", "standard_conforming_strings");

  private static final List<String> READ_BY = List.of("TimeZone", "DateStyle", "IntervalStyle");

  private final Shared shared;
  private final Channel client;
  private final Map<String, String> parameters;
  private final Supplier<ScramClient> proof;
  private final Consumer<ErrorFields> refused;
  private final Map<Node, ServerConnection> entered = new HashMap<>();
  private final List<Promise<ServerConnection>> entering = new ArrayList<>();
  private Catalogues.Known known;
  private int left;
  private Slots.Slot slot;
  private boolean over;

  ReplicatedLogin(
      Shared shared,
      Channel client,
      Map<String, String> parameters,
      Supplier<ScramClient> proof,
      Consumer<ErrorFields> refused) {
    this.shared = shared;
    this.client = client;
    this.parameters = new LinkedHashMap<>(parameters);
    this.proof = proof;
    this.refused = refused;
  }

  /** Begins; {@code ready} is called when all servers let the client in. */
  void enter(Runnable ready) {
    String options = parameters.getOrDefault("options", "");
    ErrorFields wrong = fixed(options);
    if (wrong != null) {
      fail(wrong);
      return;
    }
    List<Node> nodes = shared.fleet().in();
    left = nodes.size() + 1;
    String database = parameters.get("database");
    shared
        .positions()
        .prepared(database)
        .thenCompose(prepared -> shared.catalogues().of(database))
        .whenComplete(
            (got, cause) ->
                client
                    .eventLoop()
                    .execute(
                        () -> {
                          known = got;
                          if (cause == null) {
                            one(ready);
                          } else {
                            fail(LoginException.fieldsOf(unwrap(cause)));
                          }
                        }));
    for (Node node : nodes) {
      Promise<ServerConnection> promise =
          shared
              .door()
              .enter(
                  client.eventLoop(),
                  node.address(),
                  FrameSplitter.Sender.SERVER,
                  node.kind().begins(parameters),
                  proof);
      entering.add(promise);
      hurry(node, promise);
      promise.addListener(
          done -> {
            if (done.isSuccess()) {
              entered.put(node, (ServerConnection) done.getNow());
              one(ready);
            } else if (!done.isCancelled()) {
              notEntered(node, done.cause(), ready);
            }
          });
    }
  }

  /** Sets what the replicator relies on; why the client's own parameters forbid it, or null. */
  private ErrorFields fixed(String options) {
    for (Fixed fixed : FIXED) {
      String name = fixed.name();
      parameters.putIfAbsent(name, fixed.to());
      boolean otherwise =
          parameters.keySet().stream().anyMatch(k -> k.equalsIgnoreCase(name) && !k.equals(name));
      boolean kept = parameters.get(name).matches(fixed.allowed());
      if (otherwise || options.contains(name) || !kept) {
        return ErrorFields.fatal(
                "0A000", "the replicator relies on " + name + " of " + fixed.allowed())
            .withHint("Leave it as it is.");
      }
    }
    boolean timeout =
        options.contains(ServerKind.TRANSACTION_TIMEOUT)
            || parameters.keySet().stream()
                .anyMatch(ServerKind.TRANSACTION_TIMEOUT::equalsIgnoreCase);
    if (timeout) {
      return ErrorFields.fatal("0A000", ServerKind.TRANSACTION_TIMEOUT + " is not replicated")
          .withHint("Use statement_timeout and idle_in_transaction_session_timeout.");
    }
    boolean role =
        options.contains("session_replication_role")
            || parameters.keySet().stream().anyMatch("session_replication_role"::equalsIgnoreCase);
    return role ? ErrorFields.fatal("0A000", "session_replication_role is not replicated") : null;
  }

  /** A server that is silent is asked whether it is there. */
  private void hurry(Node node, Promise<ServerConnection> promise) {
    int withinMs = shared.config().timeouts().silentMs();
    Future<?> late =
        client
            .eventLoop()
            .schedule(
                () ->
                    promise.tryFailure(
                        new LoginException(
                            ErrorFields.fatal(
                                "08006",
                                "the server at %s did not let the client in within %d ms"
                                    .formatted(node, withinMs)))),
                withinMs,
                TimeUnit.MILLISECONDS);
    promise.addListener(done -> late.cancel(false));
  }

  private static Throwable unwrap(Throwable cause) {
    return cause.getCause() instanceof LoginException login ? login : cause;
  }

  private void notEntered(Node node, Throwable cause, Runnable ready) {
    shared
        .fleet()
        .suspect(node)
        .thenAccept(
            out ->
                client
                    .eventLoop()
                    .execute(
                        () -> {
                          if (out) {
                            one(ready);
                          } else {
                            fail(LoginException.fieldsOf(cause));
                          }
                        }));
  }

  private void one(Runnable ready) {
    left--;
    if (over) {
      close();
    } else if (left == 0) {
      ErrorFields wrong = check();
      if (wrong == null) {
        slot = shared.slots().take();
        wrong = slot == null ? ErrorFields.fatal("53300", "too many sessions") : null;
      }
      if (wrong == null) {
        over = true;
        ready.run();
      } else {
        fail(wrong);
      }
    }
  }

  /** The session, once all servers are entered. */
  ReplicatedSession session(int pid) {
    return new ReplicatedSession(
        pid,
        slot,
        client,
        shared,
        new LateEntry.Key(parameters, proof),
        known,
        charset(setting("client_encoding")));
  }

  Map<Node, ServerConnection> entered() {
    return entered;
  }

  private ErrorFields check() {
    if (!entered.containsKey(shared.fleet().leader())) {
      return ErrorFields.fatal("57P03", "the leader changed meanwhile").withHint("Connect again.");
    }
    String encoding = setting("client_encoding");
    if (charset(encoding) == null) {
      return encodingRefused(encoding);
    }
    return RELIED_ON.stream()
        .map(name -> refused(name, setting(name)))
        .filter(why -> why != null)
        .findFirst()
        .orElseGet(this::differing);
  }

  /** By these a text is read as a value, or written. */
  private ErrorFields differing() {
    for (String name : READ_BY) {
      for (Map.Entry<Node, ServerConnection> one : entered.entrySet()) {
        String theirs = one.getValue().setting(name);
        if (!theirs.equals(setting(name))) {
          return ErrorFields.fatal(
                  "0A000",
                  "%s is %s at the server at %s, and %s at the leader"
                      .formatted(name, theirs, one.getKey(), setting(name)))
              .withHint("Let the servers' configurations and roles set the same.");
        }
      }
    }
    return null;
  }

  private String setting(String wanted) {
    return entered.get(shared.fleet().leader()).setting(wanted);
  }

  /**
   * How texts are read in a client's encoding: those in which a byte below 128 is ASCII; or null.
   */
  static Charset charset(String encoding) {
    String name = encoding.toUpperCase(Locale.ROOT);
    if (name.equals("UTF8") || name.equals("UNICODE")) {
      return StandardCharsets.UTF_8;
    }
    boolean single = name.matches("SQL_ASCII|LATIN\\d+|WIN\\d+|ISO_8859_\\d+|KOI8.?");
    return single ? StandardCharsets.ISO_8859_1 : null;
  }

  static ErrorFields encodingRefused(String encoding) {
    return ErrorFields.fatal("0A000", "client_encoding " + encoding + " is not replicated")
        .withHint("Use UTF8.");
  }

  /** Why a setting that a server reports cannot be had, or null. */
  static ErrorFields refused(String name, String value) {
    boolean kept =
        switch (name) {
          case "DateStyle" -> value.startsWith("ISO");
          case "TimeZone" -> isReadable(value);
          case "standard_conforming_strings" -> value.equals("on");
          default -> true;
        };
    return kept
        ? null
        : ErrorFields.fatal("0A000", name + " " + value + " is not replicated")
            .withHint("Use ISO dates, zones at most 14 hours from UTC, and standard strings.");
  }

  /** Whether times of a zone can be read again: those that are more than 15 hours off cannot. */
  static boolean isReadable(String zone) {
    String offsets = zone.replaceAll("<[^>]*>", "").replaceAll(",.*", "");
    return HOURS
        .matcher(offsets)
        .results()
        .allMatch(hours -> hours.group().length() < 3 && Integer.parseInt(hours.group()) < 15);
  }

  private void fail(ErrorFields why) {
    if (!over) {
      close();
      refused.accept(why);
    }
  }

  /** The client no longer waits. */
  void close() {
    over = true;
    entering.forEach(promise -> promise.cancel(false));
    entered
        .values()
        .forEach(
            connection -> {
              connection.releaseGreeting();
              connection.channel().close();
            });
    entered.clear();
  }
}
