package io.mgtm.block.agent;

import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.nbd.NbdClient;
import io.mgtm.block.nbd.NbdExport;
import io.mgtm.block.nbd.NbdRequest;
import io.mgtm.block.store.BackingStore;
import io.mgtm.block.volume.Change;
import io.mgtm.block.volume.VolumeCore;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The volume that NBD clients see, and who they are. On the owner's event loop. */
final class VolumeExport implements NbdExport {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeExport.class);

  private final VolumeConfig config;
  private final VolumeCore core;
  private final StoreIo io;
  private final BackingStore store;
  private final Set<NbdClient> clients = new LinkedHashSet<>();
  private boolean ready;
  private String waiting = "the volume waits for its replicas after a restart";

  /** A client's read that a replica answers. */
  private record RemoteRead(ByteBuf target, NbdRequest request) {}

  VolumeExport(VolumeConfig config, VolumeCore core, StoreIo io, BackingStore store) {
    this.config = config;
    this.core = core;
    this.io = io;
    this.store = store;
  }

  int clientCount() {
    return clients.size();
  }

  boolean isReady() {
    return ready;
  }

  void setReady() {
    ready = true;
  }

  /** It does not serve yet, and why. */
  void setWaiting(String why) {
    waiting = why;
  }

  void disconnectClients() {
    List.copyOf(clients).forEach(NbdClient::disconnect);
  }

  @Override
  public String name() {
    return config.name();
  }

  @Override
  public String description() {
    return "replicated volume " + config.name();
  }

  @Override
  public long sizeBytes() {
    return core.state().sizeBytes();
  }

  @Override
  public boolean isReadOnly() {
    return !core.isPrimary();
  }

  @Override
  public String full() {
    return clients.size() < config.clientsMax()
        ? null
        : "this volume has "
            + clients.size()
            + " clients, as many as --clients-max lets in; disconnect one first";
  }

  @Override
  public String unavailable() {
    if (core.administration().isSuperseded()) {
      return "another side is newer, and this one becomes secondary";
    }
    if (core.isPrimary()) {
      return ready && !core.recall().isPending() ? null : waiting;
    }
    if (!config.serveReads()) {
      return "this side of the volume is secondary and serves no clients";
    }
    return core.state().consistent() && !core.state().generations().isEmpty()
        ? null
        : "this side of the volume is secondary and inconsistent";
  }

  @Override
  public boolean zeroesFast() {
    return store.zeroesFast();
  }

  @Override
  public boolean readsAtOnce() {
    return store.completesAtOnce() && !core.isDetached();
  }

  @Override
  public void read(long offset, int length, ByteBuf target, NbdRequest request) {
    if (core.isDetached()) {
      core.read(offset, length, new RemoteRead(target, request));
    } else {
      io.read(offset, length, target, request);
    }
  }

  @Override
  public boolean readsElsewhere() {
    return core.isDetached();
  }

  @Override
  public void submit(Change change) {
    core.submit(change);
  }

  @Override
  public void prefetch(long offset, long length) {
    if (!core.isDetached()) {
      store.prefetch(offset, length);
    }
  }

  @Override
  public long extentAt(long offset, long length) {
    return core.isDetached() ? length : store.extentAt(offset, length);
  }

  @Override
  public void opened(NbdClient client) {
    clients.add(client);
    LOG.info("volume {}: client {} connected", config.name(), client.describe());
  }

  @Override
  public void closed(NbdClient client) {
    clients.remove(client);
    LOG.info("volume {}: client {} gone", config.name(), client.describe());
  }

  /** A replica has answered what {@link #read} asked it for. */
  void remotelyRead(Object context, ByteBuf data, int errno) {
    RemoteRead read = (RemoteRead) context;
    if (data != null) {
      read.target().writeBytes(data);
    }
    read.request().completed(errno);
  }
}
