package io.mgtm.group.raft;

import org.jgroups.Message;
import org.jgroups.stack.Protocol;

/** Below a protocol that is tried alone: sends nothing. */
final class Silent extends Protocol {
  @Override
  public Object down(Message message) {
    return null;
  }
}
