package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.BackupCommand.Barrier;
import io.mgtm.gtm.command.BackupCommand.BeginBackup;
import io.mgtm.gtm.command.BackupCommand.EndBackup;
import io.mgtm.gtm.wire.WireException;

/** The bodies of commands around backups. */
final class BackupRequests {
  static final RequestBody<Barrier> BARRIER =
      new RequestBody<>((in, session, backend) -> barrier(in), (out, c) -> out.putString(c.id()));

  static final RequestBody<BeginBackup> BEGIN =
      new RequestBody<>((in, session, backend) -> new BeginBackup(session), (out, c) -> {});

  static final RequestBody<EndBackup> END =
      new RequestBody<>((in, session, backend) -> new EndBackup(session), (out, c) -> {});

  private BackupRequests() {}

  private static Barrier barrier(FrameReader in) throws WireException {
    String id = in.readString("barrier id", FrameLimits.BARRIER_ID_BYTES_MAX);
    int nul = id.indexOf(0);
    return new Barrier(NameRules.requireName("barrier id", nul < 0 ? id : id.substring(0, nul)));
  }
}
