package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.local.LocalLog;
import io.mgtm.group.local.LocalLogSettings;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.SequenceCommand.Restore;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.engine.EntryWriter;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.state.GtmState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log whose first entries are those of an import that a crash cut off. */
class InterruptedTakeoverTest {
  @TempDir private Path scratch;

  private GtmConfig config() {
    return GtmConfig.at(scratch, new HostPort("127.0.0.1", 0));
  }

  /** Nobody waits for a reply here. */
  private static final class Deaf implements ReplicatedLog.Listener {
    @Override
    public void committed(long index) {}

    @Override
    public void failed(LogException cause) {
      throw cause;
    }
  }

  @Test
  void itIsNeverServed() {
    List<Runnable> untold = new ArrayList<>();
    GtmState state = GtmState.empty();
    EntryWriter entry = new EntryWriter();
    entry.begin(0);
    Restore sequence = new Restore("db.s.one\0", 1, 1, 9, 1, 1, false, true);
    state.apply(sequence);
    entry.add(sequence, Effect.FORCED);
    ReplicatedLog log =
        LocalLog.open(
            scratch,
            LocalLogSettings.defaults(),
            new GtmStateMachine(state),
            untold::add,
            new Deaf());
    assertThat(log.hasRoom(EntryWriter.ENTRY_BYTES_MAX)).isTrue();
    log.append(entry.finish(), Durability.BUFFERED);
    log.close();
    assertThatThrownBy(() -> GtmServer.start(config()))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("an import that was interrupted; empty it and import again");
  }
}
