package io.mgtm.ha.notify;

import io.mgtm.ha.config.NotifyConfig;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.Decision;
import io.mgtm.ha.core.Event;
import io.mgtm.ha.core.Notified;
import io.mgtm.ha.model.EventKind;
import io.mgtm.ha.node.HaNode;
import io.mgtm.ha.node.LeaderListener;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Tells all targets of the configuration of events while this controller leads. Any thread. */
public final class Notifier implements LeaderListener, AutoCloseable {
  private static final String MAIL = "mail";
  private static final long RETRY_MS = 1_000;
  private static final int TEST_S = 30;

  private final Map<String, Outlet> outlets = new TreeMap<>();
  private final Map<String, Sender> senders = new TreeMap<>();

  private Notifier() {}

  /**
   * Begins to tell of what a node commits.
   *
   * @throws IOException when a file that the configuration names cannot be used
   */
  public static Notifier start(HaNode node, NotifyConfig config) throws IOException {
    Notifier notifier = new Notifier();
    String cluster = node.config().cluster();
    Map<String, Set<EventKind>> kinds = new TreeMap<>();
    for (Map.Entry<String, NotifyConfig.Webhook> each : config.webhooks().entrySet()) {
      String target = "webhooks." + each.getKey();
      notifier.outlets.put(target, new Webhook(cluster, each.getKey(), each.getValue()));
      kinds.put(target, each.getValue().events());
    }
    if (config.mail().isPresent()) {
      notifier.outlets.put(MAIL, new MailOutlet(cluster, config.mail().get()));
      kinds.put(MAIL, config.mail().get().events());
    }
    Function<Notified, CompletableFuture<?>> commit =
        position -> node.ask(Decision.BY_ITSELF, position);
    notifier.outlets.forEach(
        (target, outlet) ->
            notifier.senders.put(
                target, new Sender(target, outlet, kinds.get(target), commit, RETRY_MS)));
    node.tell(notifier);
    return notifier;
  }

  @Override
  public void committed(ClusterState state) {
    senders.values().forEach(sender -> sender.state(state));
  }

  @Override
  public void following() {
    senders.values().forEach(sender -> sender.state(null));
  }

  /**
   * Tells each target of a test, once and now, also when this controller does not lead.
   *
   * @param by who asks
   * @return by target, why it was not told; empty when it was
   */
  public Map<String, String> test(String by) {
    Event test =
        new Event(
            0,
            System.currentTimeMillis(),
            EventKind.OPERATOR,
            "cluster",
            "is told of a test: nothing has happened",
            by,
            "an operator has asked",
            Map.of());
    Map<String, CompletableFuture<String>> told = new TreeMap<>();
    outlets.forEach(
        (target, outlet) ->
            told.put(
                target,
                CompletableFuture.supplyAsync(() -> tried(outlet, test), Notifier::begin)
                    .completeOnTimeout("no answer in 30 s", TEST_S, TimeUnit.SECONDS)));
    Map<String, String> whyNot = new TreeMap<>();
    told.forEach((target, answer) -> whyNot.put(target, answer.join()));
    return whyNot;
  }

  private static void begin(Runnable task) {
    Thread thread = new Thread(task, "mgtm-ha-notify-test");
    thread.setDaemon(true);
    thread.start();
  }

  private static String tried(Outlet outlet, Event test) {
    try {
      outlet.send(List.of(test), 0);
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  @Override
  public void close() {
    senders.values().forEach(Sender::close);
  }
}
