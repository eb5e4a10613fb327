package io.mgtm.gtm.front;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SequenceCommand;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** A client that asks a number of things, some at a time, and notes what it is answered. */
final class SimClient implements SessionClient {
  /** One thing asked; the reply is null until it came, and stays so when it was lost. */
  static final class Asked implements ReplyTarget {
    private final SimClient client;
    private final String key;
    private final boolean query;
    private String reply;
    private boolean lost;

    Asked(SimClient client, String key, boolean query) {
      this.client = client;
      this.key = key;
      this.query = query;
    }

    String key() {
      return key;
    }

    boolean query() {
      return query;
    }

    String reply() {
      return reply;
    }

    @Override
    public void reply(boolean close, ByteBuf bytes) {
      String text = bytes.toString(StandardCharsets.UTF_8);
      end();
      reply = text;
      if (!text.startsWith(key + "=")) {
        throw new SimViolation(key + " was answered with " + text);
      }
      client.goOn();
    }

    @Override
    public void lost(String message, String hint) {
      end();
      lost = true;
    }

    private void end() {
      if (reply != null || lost) {
        throw new SimViolation(key + " was answered twice");
      }
      if (client.asked.get(client.ended) != this) {
        throw new SimViolation(key + " was answered before " + client.asked.get(client.ended).key);
      }
      client.ended++;
    }
  }

  private final String name;
  private final GroupUpstream upstream;
  private final SimTime time;
  private final RandomGenerator random;
  private final boolean proxied;
  private final int wanted;
  private final int atOnce;
  private final List<Asked> asked = new ArrayList<>();
  private UpstreamSession session;
  private int ended;
  private boolean paused;

  SimClient(
      String name,
      GroupUpstream upstream,
      SimTime time,
      RandomGenerator random,
      boolean proxied,
      int wanted) {
    this.name = name;
    this.upstream = upstream;
    this.time = time;
    this.random = random;
    this.proxied = proxied;
    this.wanted = wanted;
    this.atOnce = 1 + random.nextInt(6);
  }

  void start() {
    session = proxied ? upstream.open() : upstream.shared();
    session.join(this);
    goOn();
  }

  private void goOn() {
    if (!paused && random.nextInt(4) == 0) {
      paused = true;
      time.after(
          random.nextInt(100),
          () -> {
            paused = false;
            goOn();
          });
    }
    while (!paused && asked.size() < wanted && asked.size() - ended < atOnce) {
      ask();
    }
  }

  private void ask() {
    String key = name + "#" + asked.size();
    boolean query = random.nextInt(4) == 0;
    Asked next = new Asked(this, key, query);
    asked.add(next);
    Command command =
        query ? new SequenceCommand.LastValue(key) : new SequenceCommand.NextValue(key);
    session.submit((short) 1, command, next);
  }

  boolean done() {
    return asked.size() == wanted && ended == wanted;
  }

  List<Asked> asked() {
    return asked;
  }

  @Override
  public void resume() {
    goOn();
  }

  @Override
  public void sessionLost(String message, String hint) {
    time.after(random.nextInt(20), this::start);
  }

  @Override
  public String toString() {
    return name + ": " + ended + " of " + asked.size() + " answered, " + wanted + " wanted";
  }
}
