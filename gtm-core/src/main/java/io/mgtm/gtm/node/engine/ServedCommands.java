package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RequestEncoder;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How many commands of gateways a batch served, by message: they are timed once their replies have
 * left. Owner thread.
 */
public final class ServedCommands {
  private final Map<MessageType, Integer> byType = new EnumMap<>(MessageType.class);
  private int total;

  public void add(Command command) {
    byType.merge(RequestEncoder.typeOf(command), 1, Integer::sum);
    total++;
  }

  int total() {
    return total;
  }

  /** Each command's message, as often as it came. */
  void forEach(Consumer<MessageType> each) {
    byType.forEach(
        (type, times) -> {
          for (int n = times; n > 0; n--) {
            each.accept(type);
          }
        });
  }
}
