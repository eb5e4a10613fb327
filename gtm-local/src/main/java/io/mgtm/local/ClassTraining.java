package io.mgtm.local;

import io.mgtm.group.net.FreePorts;
import io.mgtm.proxy.ProxyMain;
import java.nio.file.Path;

/**
 * Does once what an installation does, and ends: the {@link io.mgtm.gtm.cli.ClassTraining} of a
 * member, then a proxy before it.
 */
public final class ClassTraining {
  private ClassTraining() {}

  /**
   * Runs both in this JVM until they have served a client; exit status 1 when they do not.
   *
   * @param args a folder for the member's data, which the caller deletes when the process is gone
   */
  public static void main(String[] args) throws InterruptedException {
    int gtm = io.mgtm.gtm.cli.ClassTraining.serveAsMember(Path.of(args[0]));
    boolean served =
        gtm > 0
            && io.mgtm.gtm.cli.ClassTraining.serve(
                ProxyMain.commandLine(), FreePorts.takeOne(), "--gtm=127.0.0.1:" + gtm);
    System.exit(served ? 0 : 1);
  }
}
