package io.mgtm.gtm.node.total;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.group.total.OriginTable;
import io.mgtm.group.total.ProposalEntry;
import io.mgtm.group.total.TotalOrder;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.node.backup.Takeover;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.SessionRules;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.LinkCommand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What members' ops do, at the member that proposed them and at the others. */
class OrderedGtmTest {
  private static final long S1 = 1L << 62;
  private static final long S2 = S1 + 1;
  private static final Limits LIMITS = new Limits(100, 100, 100, 100, 1_000, 2_000);

  private final OrderedGtm gtm = new OrderedGtm(new GtmStateMachine(GtmState.empty()));
  private final OrderedGtm other = new OrderedGtm(new GtmStateMachine(GtmState.empty()));
  private final Results results = new Results();
  private Durability durability;
  private long index;

  private final class Results implements OpResults {
    private final List<String> told = new ArrayList<>();

    @Override
    public void refused(long session, long attachment, SessionRules.Refusal why) {
      told.add("refused " + why.code());
    }

    @Override
    public void attached(long session, long last) {
      told.add("attached " + last);
    }

    @Override
    public void notAttached(long session, long attachment) {
      told.add("not attached");
    }

    @Override
    public void commands(MemberOp.Commands op, boolean proxied) {
      told.add("commands");
    }

    @Override
    public void query(MemberOp.Commands op, int at, Command query) {
      told.add("query " + gtm.state().apply(query));
    }

    @Override
    public void reply(MemberOp.Commands op, int at, Reply reply) {
      told.add(reply.getClass().getSimpleName());
    }

    @Override
    public void commandsEnd() {}

    List<String> take() {
      List<String> taken = List.copyOf(told);
      told.clear();
      return taken;
    }
  }

  /** Applies an op here from memory, at the other member from its bytes. */
  private List<String> apply(long micros, Limits limits, MemberOp op) {
    index++;
    ByteBuffer bytes = ByteBuffer.allocate(1 << 18);
    MemberOpCodec.header(bytes, micros, limits);
    MemberOpCodec.encode(op, bytes);
    durability = other.apply(index, 0, bytes.flip());
    gtm.begin(new MemberOpCodec.Header(micros, limits));
    gtm.apply(index, op, results);
    assertThat(Engine.durability(gtm.effect())).isEqualTo(durability);
    assertThat(other.picture().bytes()).as("after %s", op).isEqualTo(gtm.picture().bytes());
    return results.take();
  }

  private List<String> apply(MemberOp op) {
    return apply(index * 1_000, LIMITS, op);
  }

  private static MemberOp.Attach attach(
      long session, long attachment, boolean fresh, String gateway) {
    return new MemberOp.Attach(
        "g1", session, attachment, fresh, false, gateway, GatewayKind.PROXY, 10);
  }

  private static MemberOp.Commands commands(
      long session, long attachment, long first, Command... of) {
    List<LinkCommand> commands = new ArrayList<>();
    for (Command command : of) {
      commands.add(new LinkCommand((short) 4, command));
    }
    return new MemberOp.Commands(session, attachment, first - 1, first, commands);
  }

  private static Command begin(long session) {
    return new TransactionCommand.Begin(
        session, (short) 5, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  @BeforeEach
  void start() {
    apply(new MemberOp.First(Takeover.nothing(1_000).commands()));
    assertThat(durability).isEqualTo(Durability.REQUIRED);
  }

  @Test
  void aGroupBeginsOnce() {
    apply(new MemberOp.First(Takeover.nothing(9_000).commands()));
    assertThat(gtm.state().counts().nextGxid()).isEqualTo(1_000);
  }

  @Test
  void aQueryIsAnsweredFromTheStateOfItsPlace() {
    assertThat(apply(attach(S1, 7, true, "p1"))).containsExactly("attached 0");
    assertThat(
            apply(commands(S1, 7, 1, begin(S1), new TransactionCommand.GetNextGxid(), begin(S1))))
        .containsExactly("commands", "Began", "query NextGxid[gxid=1001]", "Began");
    assertThat(gtm.state().gateway(S1).last()).isEqualTo(3);
    assertThat(apply(attach(S1, 8, false, "p1"))).containsExactly("attached 3");
  }

  @Test
  void whatComesByAFormerAttachmentDoesNothing() {
    apply(attach(S1, 7, true, "p1"));
    apply(commands(S1, 7, 1, begin(S1)));
    apply(attach(S1, 8, false, "p1"));
    long next = gtm.state().counts().nextGxid();
    assertThat(apply(commands(S1, 7, 2, begin(S1)))).containsExactly("not attached");
    apply(new MemberOp.Detach(S1, 7));
    apply(new MemberOp.Close(S1, 7));
    assertThat(gtm.state().counts().nextGxid()).isEqualTo(next);
    assertThat(apply(commands(S1, 8, 2, begin(S1)))).containsExactly("commands", "Began");
  }

  @Test
  void aSessionThatIsAttachedAnywhereDoesNotExpire() {
    apply(attach(S1, 7, true, "p1"));
    apply(new MemberOp.Detach(S1, 7));
    long detachedAt = gtm.attachments().of(S1).detachedAt();
    assertThat(detachedAt).isEqualTo(index);
    apply(attach(S1, 8, false, "p1"));
    apply(new MemberOp.Expire(S1, detachedAt));
    assertThat(gtm.state().gateway(S1)).isNotNull();
    apply(new MemberOp.Detach(S1, 8));
    apply(new MemberOp.Expire(S1, detachedAt));
    assertThat(gtm.state().gateway(S1)).as("detached again, later").isNotNull();
    apply(new MemberOp.Expire(S1, gtm.attachments().of(S1).detachedAt()));
    assertThat(gtm.state().gateway(S1)).isNull();
    assertThat(apply(commands(S1, 8, 1, begin(S1)))).containsExactly("refused SESSION_LOST");
    assertThat(apply(attach(S1, 9, false, "p1"))).containsExactly("refused SESSION_LOST");
  }

  @Test
  void aNameIsInUseWhileItsSessionIsAttachedAndThenTheOldSessionEnds() {
    apply(attach(S1, 7, true, "p1"));
    assertThat(apply(attach(S2, 8, true, "p1"))).containsExactly("refused NAME_IN_USE");
    apply(new MemberOp.Gone("g1"));
    assertThat(apply(attach(S2, 9, true, "p1"))).containsExactly("attached 0");
    assertThat(gtm.state().gateway(S1)).isNull();
    assertThat(apply(attach(S2, 10, false, "p2"))).containsExactly("refused PROTOCOL");
  }

  @Test
  void aProcessThatBeginsHasNoLinksAndTellsItsAddress() {
    apply(attach(S1, 7, true, "p1"));
    apply(new MemberOp.Begin("g1", "10.0.0.1:6666"));
    assertThat(gtm.attachments().of(S1).attached()).isFalse();
    assertThat(gtm.state().memberAddresses()).containsEntry("g1", "10.0.0.1:6666");
  }

  @Test
  void theLimitsAreThoseOfTheMemberThatProposes() {
    apply(attach(S1, 7, true, "p1"));
    Limits none = new Limits(0, 100, 100, 100, 1_000, 2_000);
    assertThat(apply(1, none, commands(S1, 7, 1, begin(S1)))).contains("Rejected");
    assertThat(apply(commands(S1, 7, 1, begin(S1)))).contains("Began");
  }

  @Test
  void theTimeIsNotTakenBack() {
    apply(1_000_000, LIMITS, attach(S1, 7, true, "p1"));
    apply(5, LIMITS, commands(S1, 7, 1, begin(S1)));
    assertThat(gtm.state().changedMicros()).isEqualTo(1_000_000);
  }

  @Test
  void theDurabilityIsWhatTheCommandsAskFor() {
    apply(attach(S1, 7, true, "p1"));
    assertThat(durability).isEqualTo(Durability.BUFFERED);
    apply(commands(S1, 7, 1, new SequenceCommand.Init("d.s\0", 1, 1, 1_000, 1, false)));
    assertThat(durability).isEqualTo(Durability.REQUIRED);
    apply(commands(S1, 7, 2, new TransactionCommand.GetNextGxid()));
    assertThat(durability).isEqualTo(Durability.BUFFERED);
  }

  @Test
  void theCheckpointHasTheAttachments() {
    apply(attach(S1, 7, true, "p1"));
    OrderedGtm restored = new OrderedGtm(new GtmStateMachine(GtmState.empty()));
    restored.load(Pieces.of(ByteBuffer.wrap(gtm.picture().bytes()))).run();
    assertThat(restored.picture().bytes()).isEqualTo(gtm.picture().bytes());
    assertThat(restored.attachments().of(S1).attachment()).isEqualTo(7);
  }

  @Test
  void afterALossNobodysSessionGoesOn() {
    apply(attach(S1, 7, true, "p1"));
    gtm.entriesMayBeMissing(++index, false);
    other.entriesMayBeMissing(index, false);
    assertThat(apply(commands(S1, 7, 1, begin(S1)))).containsExactly("refused SESSION_LOST");
    assertThat(gtm.attachments().members()).isEmpty();
  }

  /** As a GTM without a group does that is started on a member's folder. */
  @Test
  void whoReadsThemInAnotherModeIsToldOfModeTotal() {
    GtmStateMachine fifo = new GtmStateMachine(GtmState.empty());
    ByteBuffer entry = ByteBuffer.wrap(new byte[] {ProposalEntry.VERSION});
    Pieces checkpoint =
        Pieces.of(ByteBuffer.wrap(TotalOrder.picture(new OriginTable(), gtm.picture()).bytes()));
    assertThatThrownBy(() -> fifo.apply(1, entry)).hasMessageContaining("say --mode total");
    assertThatThrownBy(() -> fifo.load(checkpoint)).hasMessageContaining("say --mode total");
  }
}
