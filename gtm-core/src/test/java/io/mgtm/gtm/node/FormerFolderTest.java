package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.LogStore;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SequenceCommand.NextValue;
import io.mgtm.gtm.command.SequenceCommand.Restore;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.engine.EntryWriter;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.state.GtmState;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders as nodes without a group left them before they were groups of one. */
class FormerFolderTest {
  private static final int SERVED = 10;

  @TempDir private Path scratch;

  private GtmConfig config() {
    return GtmConfig.at(scratch.resolve("data"), new HostPort("127.0.0.1", 0));
  }

  /** A log that has one entry a command, all of term 1. */
  private final class Former implements AutoCloseable {
    final DataDirectory directory = DataDirectory.open(scratch.resolve("data"));
    final GtmStateMachine machine = new GtmStateMachine(GtmState.empty());
    final CheckpointStore checkpoints = new CheckpointStore(directory.files(), directory.member());
    final EntryWriter entry = new EntryWriter();
    final LogStore store =
        LogStore.open(
            new LogStore.Environment(
                directory.files(), directory.member(), Runnable::run, System::nanoTime),
            LogSettings.defaults(),
            0);

    Former() {
      store.startAppending();
    }

    void append(Command... commands) {
      for (Command command : commands) {
        long micros = machine.state().changedMicros() + 1;
        machine.state().beginEntry(micros);
        entry.begin(micros);
        machine.state().apply(command);
        entry.add(command, machine.state().effect());
        assertThat(store.hasRoom(EntryWriter.ENTRY_BYTES_MAX)).isTrue();
        store.append(1, entry.finish());
      }
    }

    void checkpoint() {
      store.force();
      checkpoints.save(store.lastIndex(), 1, machine.picture());
    }

    @Override
    public void close() {
      directory.close();
    }
  }

  private static Restore sequence() {
    return new Restore("db.s.one\0", 1, 1, 1_000_000, 1, 1, false, true);
  }

  /** A prepared transaction, and a sequence of which values were handed out. */
  private long write(boolean clean) {
    try (Former former = new Former()) {
      former.append(
          new TransactionCommand.StartGxids(10_000, 10_000),
          new SessionCommand.Restart(true),
          sequence());
      former.checkpoint();
      for (int i = 0; i < SERVED; i++) {
        former.append(new NextValue("db.s.one\0"));
      }
      if (clean) {
        former.store.closeCleanly();
      }
      return former.store.lastIndex();
    }
  }

  private long nextValue() throws Exception {
    try (GtmServer server = GtmServer.start(config());
        GtmClient client = GtmClient.connect(server.address())) {
      return client.nextValue(GtmClient.sequenceKey("db.s.one"));
    }
  }

  @Test
  void itsValuesGoOnWhereTheyStood() throws Exception {
    write(true);
    assertThat(nextValue()).isEqualTo(SERVED + 2);
    assertThat(nextValue()).as("at the next start").isEqualTo(SERVED + 3);
  }

  @Test
  void afterAnEndThatWasNotCleanNoValueThatMayHaveBeenGivenIsGivenAgain() throws Exception {
    write(false);
    assertThat(nextValue()).isGreaterThan(SERVED + 2);
  }

  @Test
  void oneWithAnImportThatWasInterruptedIsNeverServed() {
    try (Former former = new Former()) {
      former.append(sequence());
      former.store.closeCleanly();
    }
    for (int start = 1; start <= 2; start++) {
      assertThatThrownBy(() -> GtmServer.start(config()))
          .isInstanceOf(LogException.class)
          .hasMessageContaining("an import that was interrupted; empty it and import again");
    }
  }

  @Test
  void aMemberOfAGroupDoesNotTakeIt() throws Exception {
    write(true);
    try (TestGtm member = TestGtm.in(scratch).aloneInAGroup(GroupMode.FIFO)) {
      assertThatThrownBy(member::start)
          .isInstanceOf(LogException.class)
          .hasMessageContaining("term is missing beside a log")
          .hasMessageContaining("never in a group is started here, and without --members");
    }
    assertThat(nextValue()).isEqualTo(SERVED + 2);
  }
}
