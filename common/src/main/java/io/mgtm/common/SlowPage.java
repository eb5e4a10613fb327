package io.mgtm.common;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A page that may take longer than a connection is kept. It is worked on by a thread of its own;
 * who asks comes again with a ticket until it is done. Any thread; calls wait.
 */
final class SlowPage {
  /** The parameter that says for what somebody comes again. */
  static final String TICKET = "ticket";

  private static final int OPEN_MAX = 32;

  private final HttpEndpoint.Page page;
  private final int waitMs;
  private final Map<String, CompletableFuture<Object>> open = new LinkedHashMap<>();

  /**
   * A page that nobody has asked for.
   *
   * @param waitMs how long one request waits
   */
  SlowPage(HttpEndpoint.Page page, int waitMs) {
    this.page = page;
    this.waitMs = waitMs;
  }

  /** Begins to work on it, unless there is a ticket among the parameters; the ticket. */
  synchronized String ticket(Map<String, String> parameters) throws IOException {
    String mine = parameters.get(TICKET);
    if (mine != null) {
      return mine;
    }
    if (open.size() >= OPEN_MAX) {
      // Nobody has come again for them.
      open.values().removeIf(CompletableFuture::isDone);
      if (open.size() >= OPEN_MAX) {
        throw new IOException(OPEN_MAX + " requests are being worked on, which is most");
      }
    }
    CompletableFuture<Object> answer = new CompletableFuture<>();
    String ticket = UUID.randomUUID().toString();
    open.put(ticket, answer);
    Thread thread = new Thread(() -> work(parameters, answer), "mgtm-http-slow");
    thread.setDaemon(true);
    thread.start();
    return ticket;
  }

  private void work(Map<String, String> parameters, CompletableFuture<Object> answer) {
    try {
      answer.complete(page.of(parameters));
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  /**
   * What the page has answered; null while it has not.
   *
   * @throws IOException with which the page has failed
   */
  Object answer(String ticket) throws IOException {
    CompletableFuture<Object> answer;
    synchronized (this) {
      answer = open.get(ticket);
    }
    if (answer == null) {
      throw new IOException(
          "nothing is known of this request: it was answered, or the server was restarted");
    }
    try {
      Object found = answer.get(waitMs, TimeUnit.MILLISECONDS);
      forget(ticket);
      return found;
    } catch (TimeoutException e) {
      return null;
    } catch (ExecutionException e) {
      forget(ticket);
      throw e.getCause() instanceof IOException why
          ? why
          : new IOException(e.getCause().toString(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private synchronized void forget(String ticket) {
    open.remove(ticket);
  }
}
