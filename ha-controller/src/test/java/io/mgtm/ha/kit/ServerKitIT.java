package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A GTM and a proxy before it, and a query replicator, from their own jars. */
class ServerKitIT {
  @TempDir Path folder;

  private static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  private static KitContext context(Rig rig, String name, String metrics, String arguments) {
    return context(rig, name, "metrics", metrics, arguments);
  }

  private static KitContext context(
      Rig rig, String name, String parameter, String address, String arguments) {
    return rig.context(
        name,
        Map.of(
            parameter,
            address,
            "arguments",
            arguments,
            "javaOptions",
            "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx96m"));
  }

  @Test
  void gtmAndItsProxyAreStartedCheckedAndStopped() throws Exception {
    Rig rig = new Rig(folder);
    List<InetSocketAddress> at = OwnAddress.addresses(4);
    ServerKit gtm = ServerKit.gtm();
    ServerKit proxy = ServerKit.proxy();
    KitContext gtmAt =
        context(
            rig,
            "gtm",
            text(at.get(0)),
            "--data '%s' --listen %s".formatted(folder.resolve("a gtm"), text(at.get(1))));
    KitContext proxyAt =
        context(
            rig,
            "proxy",
            text(at.get(2)),
            "--listen %s --gtm %s --name p1".formatted(text(at.get(3)), text(at.get(1))));
    try {
      Jars.command(gtmAt, "mgtm-gtm.jar", "gtm-core");
      Jars.command(proxyAt, "mgtm-proxy.jar", "gtm-proxy");
    } catch (KitException e) {
      Rig.needThat(false, "mgtm-gtm.jar or mgtm-proxy.jar is not built");
    }
    try {
      Rig.assertOut(gtm.quickCheck(gtmAt));
      gtm.inService(gtmAt);
      Rig.assertIn(gtm.quickCheck(gtmAt));
      awaitHealth(gtm, gtmAt);
      Await.untilAsserted(
          "its status",
          () ->
              assertThat(gtm.data(gtmAt))
                  .containsEntry("role", "leader")
                  .containsEntry("mode", "single")
                  .containsKey("term"));
      proxy.inService(proxyAt);
      awaitHealth(proxy, proxyAt);

      gtm.outOfService(gtmAt);
      Rig.assertOut(gtm.deepCheck(gtmAt));
      Await.until(
          "the proxy has no GTM",
          () -> proxy.deepCheck(proxyAt).detail().contains("\"status\":\"down\""));
      Rig.assertIn(proxy.deepCheck(proxyAt)); // clients wait, and would be cut off by a repair
      Rig.assertIn(proxy.quickCheck(proxyAt));
      Rig.guard(proxy, proxyAt);
      Rig.assertOut(proxy.quickCheck(proxyAt));
    } finally {
      gtm.outOfService(gtmAt);
      proxy.outOfService(proxyAt);
      Rig.removeGroup(gtmAt);
      Rig.removeGroup(proxyAt);
    }
  }

  /** Of a group that has no majority: it is in service, and says what it waits for. */
  @Test
  void aQueryReplicatorIsStartedCheckedAndStopped() throws Exception {
    Rig rig = new Rig(folder);
    List<InetSocketAddress> at = OwnAddress.addresses(7);
    ServerKit kit = ServerKit.query();
    KitContext context =
        context(
            rig,
            "query",
            "admin",
            text(at.get(0)),
            "--name q1 --members q1=%s,q2=%s,q3=%s --listen %s --server %s --server %s --data '%s'"
                .formatted(
                    text(at.get(1)),
                    text(at.get(2)),
                    text(at.get(3)),
                    text(at.get(4)),
                    text(at.get(5)),
                    text(at.get(6)),
                    folder.resolve("a replicator")));
    try {
      Jars.command(context, "mgtm-query.jar", "replication/query");
    } catch (KitException e) {
      Rig.needThat(false, "mgtm-query.jar is not built");
    }
    try {
      Rig.assertOut(kit.quickCheck(context));
      kit.inService(context);
      Rig.assertIn(kit.quickCheck(context));
      Rig.assertIn(kit.deepCheck(context));
      assertThat(kit.deepCheck(context).detail()).contains("no replicator leads");
      Await.untilAsserted(
          "its status",
          () ->
              assertThat(kit.data(context))
                  .containsEntry("name", "q1")
                  .hasEntrySatisfying(
                      "trouble", told -> assertThat(told).contains("q2, q3 do not answer"))
                  .doesNotContainKeys("leader"));
      kit.outOfService(context);
      Rig.assertOut(kit.deepCheck(context));
    } finally {
      kit.outOfService(context);
      Rig.removeGroup(context);
    }
  }

  private static void awaitHealth(ServerKit kit, KitContext context) {
    Await.until(
        context.resource() + " is healthy",
        () -> kit.deepCheck(context).detail().contains("\"status\":\"up\""));
  }
}
