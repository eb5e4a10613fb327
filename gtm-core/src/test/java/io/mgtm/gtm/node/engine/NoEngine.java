package io.mgtm.gtm.node.engine;

/** Serves, and does nothing that it is asked. */
public class NoEngine implements CommandEngine {
  @Override
  public boolean isServing() {
    return true;
  }

  @Override
  public boolean decides() {
    return true;
  }

  @Override
  public void submit(LinkWork work) {}

  @Override
  public void resume() {}

  @Override
  public void pull(GatewayPeer peer, long id, boolean more) {}
}
