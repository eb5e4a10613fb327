package io.mgtm.gtm.command;

import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A command of every type that is logged, with the bytes that it has had in logs for ever. */
public final class SampleCommands {
  private static final long SESSION = 0x0102030405060708L;
  private static final String SESSION_HEX = "0102030405060708";
  private static final short BACKEND = 0x1112;
  private static final TransactionRef GXID = TransactionRef.gxid(0xfffffff0);
  private static final TransactionRef HANDLE = TransactionRef.handle(7);

  private final Map<Command, String> pictures = new LinkedHashMap<>();

  private SampleCommands() {
    sessions();
    gateways();
    transactions();
    preparedTransactions();
    snapshots();
    sequences();
    nodes();
  }

  /** Each command and a picture of its bytes in hex. */
  public static Map<Command, String> withPictures() {
    return new SampleCommands().pictures;
  }

  /** The commands. */
  public static List<Command> all() {
    return List.copyOf(withPictures().keySet());
  }

  private void add(Command command, String picture) {
    pictures.put(command, picture);
  }

  private void sessions() {
    add(new SessionCommand.Restart(true), "01 01");
    add(new SessionCommand.Restart(false), "01 00");
    add(
        new SessionCommand.OpenSession(SESSION, "co1", NodeType.COORDINATOR, true),
        "02" + SESSION_HEX + "0003 636f31 03 01");
    add(new SessionCommand.CloseSession(SESSION), "03" + SESSION_HEX);
    add(
        new SessionCommand.DisconnectBackend(SESSION, BACKEND, false, null, ""),
        "04" + SESSION_HEX + "1112 00");
    add(
        new SessionCommand.DisconnectBackend(SESSION, BACKEND, true, NodeType.DATANODE, "dn"),
        "04" + SESSION_HEX + "1112 01 04 0002 646e");
  }

  private void gateways() {
    add(
        new SessionCommand.OpenGateway(SESSION, "p1", GatewayKind.NODE, true),
        "06" + SESSION_HEX + "0002 7031 01 01");
    add(
        new SessionCommand.Numbered(SESSION, 9, 7, new SequenceCommand.Reset("s")),
        "05" + SESSION_HEX + "0000000000000009 0000000000000007 2c 0001 73");
    add(new SessionCommand.AnnounceMember("g1", "h:1"), "07 0002 6731 0003 683a31");
    add(new SessionCommand.ServeTerm(9, "g1"), "08 0000000000000009 0002 6731");
    add(new SessionCommand.SkipAhead(7), "09 0000000000000007");
  }

  private void transactions() {
    Isolation rc = Isolation.READ_COMMITTED;
    Isolation ser = Isolation.SERIALIZABLE;
    add(
        new TransactionCommand.Begin(SESSION, BACKEND, rc, false, BeginKind.HANDLE),
        "0a" + SESSION_HEX + "1112 01 00");
    add(
        new TransactionCommand.Begin(SESSION, BACKEND, ser, true, BeginKind.GXID),
        "0a" + SESSION_HEX + "1112 80 01");
    add(
        new TransactionCommand.Begin(SESSION, (short) -1, rc, true, BeginKind.AUTOVACUUM),
        "0a" + SESSION_HEX + "ffff 81 02");
    add(
        new TransactionCommand.BeginMany(
            SESSION,
            List.of(new BeginItem((short) 1, rc, false), new BeginItem((short) 2, ser, true))),
        "0b" + SESSION_HEX + "00000002 0001 01 0002 80");
    add(new TransactionCommand.AssignGxid(HANDLE), "0c 00 00000007");
    add(new TransactionCommand.End(GXID, Outcome.COMMIT), "0d 01 fffffff0 00");
    add(new TransactionCommand.End(HANDLE, Outcome.ROLLBACK), "0d 00 00000007 01");
    add(
        new TransactionCommand.EndMany(List.of(GXID, HANDLE), Outcome.ROLLBACK),
        "0e 00000002 01 fffffff0 00 00000007 01");
    add(new TransactionCommand.AdvanceOldestGxid(10_000), "13 00002710");
    add(
        new TransactionCommand.StartGxids(0x1_0000_0005L, 3),
        "18 0000000100000005 0000000000000003");
  }

  private void preparedTransactions() {
    add(
        new TransactionCommand.StartPrepare(GXID, "T1", "dn1"),
        "0f 01 fffffff0 0002 5431 0003 646e31");
    add(new TransactionCommand.Prepare(GXID), "10 01 fffffff0");
    add(new TransactionCommand.CommitPrepared(GXID, HANDLE), "11 01 fffffff0 00 00000007");
    add(
        new TransactionCommand.BeginForPrepared(
            SESSION, BACKEND, Isolation.READ_COMMITTED, false, "T\u00fc"),
        "12" + SESSION_HEX + "1112 01 0002 54fc");
  }

  private void snapshots() {
    add(new SnapshotCommand.GetSnapshot(GXID), "1e 01 fffffff0");
    add(
        new SnapshotCommand.GetSnapshotMany(List.of(GXID, HANDLE)),
        "1f 00000002 01 fffffff0 00 00000007");
    add(new SnapshotCommand.AssignGxidAndGetSnapshot(HANDLE), "20 00 00000007");
  }

  private void sequences() {
    String key = "d.s\0";
    String keyHex = "0004 642e7300";
    add(
        new SequenceCommand.Init(key, -1, 2, 3, 4, true),
        "28" + keyHex + "ffffffffffffffff 0000000000000002 0000000000000003 0000000000000004 01");
    add(new SequenceCommand.NextValue(key), "29" + keyHex);
    add(new SequenceCommand.SetValue(key, 5, false), "2b" + keyHex + "0000000000000005 00");
    add(new SequenceCommand.Reset(key), "2c" + keyHex);
    add(new SequenceCommand.Close(key), "2d" + keyHex);
    add(new SequenceCommand.CloseDatabase("d\0"), "2e 0002 6400");
    add(new SequenceCommand.Rename(key, "d.t\0"), "2f" + keyHex + "0004 642e7400");
    add(
        new SequenceCommand.Alter(key, 1, 2, 3, 4, 5, true, false),
        "30"
            + keyHex
            + "0000000000000001 0000000000000002 0000000000000003"
            + "0000000000000004 0000000000000005 01 00");
    add(
        new SequenceCommand.Restore(key, -1, 2, 3, 4, 5, false, true),
        "32"
            + keyHex
            + "ffffffffffffffff 0000000000000002 0000000000000003"
            + "0000000000000004 0000000000000005 00 01");
  }

  private void nodes() {
    add(
        new NodeCommand.Register(
            SESSION, new NodeAddress(NodeType.DATANODE, "dn", "px", "::1", 6_666, "/d")),
        "3c" + SESSION_HEX + "04 0002 646e 0002 7078 0003 3a3a31 00001a0a 0002 2f64");
    add(new NodeCommand.Unregister(NodeType.DATANODE, "dn"), "3d 04 0002 646e");
    add(new BackupCommand.Barrier("b1"), "46 0002 6231");
  }
}
