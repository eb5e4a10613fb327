package io.mgtm.block.agent;

import io.mgtm.block.nbd.NbdMeter;
import io.mgtm.block.volume.DiskState;
import io.mgtm.block.volume.Fencing;
import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.LinkPhase;
import io.mgtm.block.volume.Meeting.Outcome;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.VolumeState;
import io.mgtm.block.volume.VolumeView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A volume's status as nested maps, ready for JSON. On the owner's event loop. */
final class StatusReport {
  /** What a primary without its disk says of itself. */
  static final String DISKLESS =
      "DISKLESS: this side's disk failed and its replicas stand in; promote one of them, then"
          + " replace the disk";

  private StatusReport() {}

  static Map<String, Object> of(
      VolumeService service, NbdMeter meter, List<String> listening, String receiving) {
    VolumeState state = service.core().state();
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("name", state.name());
    status.put("role", lower(service.core().isPrimary() ? Role.PRIMARY : state.role()));
    status.put("disk", disk(service).toString());
    status.put("consistent", state.consistent());
    String notServing = notServing(service);
    status.put("serving", notServing == null);
    if (notServing != null) {
      status.put("notServingBecause", notServing);
    }
    status.put("sizeBytes", state.sizeBytes());
    status.put("chunkBytes", state.chunkBytes());
    status.put("nodeId", state.nodeId());
    List<String> generations = new ArrayList<>();
    state
        .generations()
        .ids()
        .forEach(id -> generations.add(String.format(Locale.ROOT, "%016x", id)));
    status.put("generations", generations);
    status.put("discard", state.discard());
    status.put("listen", listening);
    status.put("receive", receiving);
    Identity upstream =
        service.core().receiver().isConnected() ? service.core().receiver().source() : null;
    status.put("upstream", upstream == null ? null : upstream.nodeId());
    status.put("clients", service.export().clientCount());
    status.put("fences", service.core().fencing().isRequired());
    status.put("fencing", fencing(service.core().fencing().waiting()));
    status.put("throttled", service.core().view().isThrottled());
    status.put("storeErrors", service.storeErrors());
    status.put("storeError", service.storeError());
    status.put("metadataErrors", service.metadata().errors());
    status.put("metadataError", service.metadata().error());
    status.put("requests", requests(meter));
    List<Map<String, Object>> links = new ArrayList<>();
    List<VolumeView.Link> views = service.core().view().links();
    for (int i = 0; i < views.size(); i++) {
      links.add(link(service, views.get(i)));
    }
    status.put("links", links);
    status.put("warning", warning(service, views));
    return status;
  }

  /** Whether the disk of the data and that of the metadata both fail. */
  private static boolean isBroken(VolumeService service) {
    return service.isStoreBroken() && service.metadata().error() != null;
  }

  private static String notServing(VolumeService service) {
    String why = service.export().unavailable();
    return why == null && isBroken(service)
        ? "the disks of its bytes and of its metadata fail; what can still be read is"
        : why;
  }

  /** A restarted primary that does not know yet whether it was replaced is no more than whole. */
  private static DiskState disk(VolumeService service) {
    if (isBroken(service)) {
      return DiskState.FAILED;
    }
    DiskState disk = service.core().diskState();
    return disk == DiskState.UP_TO_DATE && !service.export().isReady()
        ? DiskState.CONSISTENT
        : disk;
  }

  /** What this side could not write lately, or null. */
  static String failure(VolumeService service) {
    List<String> all = new ArrayList<>();
    if (service.metadata().error() != null) {
      all.add("METADATA NOT WRITTEN, what needs it is refused: " + service.metadata().error());
    }
    if (service.storeError() != null) {
      all.add("THE DISK FAILS: " + service.storeError());
    }
    return all.isEmpty() ? null : String.join("; ", all);
  }

  /** What an operator should see first, or null. */
  private static String warning(VolumeService service, List<VolumeView.Link> links) {
    List<String> all = new ArrayList<>();
    Fencing.Waiting fence = service.core().fencing().waiting();
    if (fence != null) {
      all.add(suspended(fence));
    }
    if (service.core().isDetached()) {
      all.add(DISKLESS);
    }
    String failure = failure(service);
    if (failure != null) {
      all.add(failure);
    }
    for (VolumeView.Link link : links) {
      if (link.refusal() == Outcome.SPLIT_BRAIN) {
        all.add("SPLIT BRAIN with " + link.name());
      }
      VolumeView.Work verify = link.verify();
      if (verify != null && verify.mismatches() > 0 && !verify.repaired()) {
        all.add("VERIFY FOUND DIFFERENCES at " + link.name());
      }
    }
    String unprotected = unprotected(service.core().isPrimary(), links);
    if (unprotected != null) {
      all.add(unprotected);
    }
    return all.isEmpty() ? null : String.join("; ", all);
  }

  /** What a primary that waits for a fence says of itself. */
  static String suspended(Fencing.Waiting fence) {
    return "SUSPENDED: writes wait until "
        + String.join(", ", fence.request().lost())
        + " is fenced ("
        + fence.reason()
        + ")";
  }

  private static Map<String, Object> fencing(Fencing.Waiting fence) {
    if (fence == null) {
      return null;
    }
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("token", fence.request().token());
    report.put("lost", fence.request().lost());
    report.put("inSync", fence.request().inSync());
    report.put("attempts", fence.attempts());
    report.put("reason", fence.reason());
    return report;
  }

  /** Why a primary's writes are on fewer disks than they should be, or null. */
  private static String unprotected(boolean primary, List<VolumeView.Link> links) {
    if (!primary || links.isEmpty()) {
      return null;
    }
    List<String> missing =
        links.stream()
            .filter(link -> link.phase() != LinkPhase.UP_TO_DATE)
            .map(VolumeView.Link::name)
            .toList();
    if (missing.isEmpty()) {
      return null;
    }
    return missing.size() == links.size()
        ? "NOT PROTECTED: no other copy is up to date"
        : "less protected: no up-to-date copy at " + String.join(", ", missing);
  }

  /** The connection's or the replication's state, by DRBD's names. */
  private static String connection(VolumeService service, VolumeView.Link link) {
    if (link.source()) {
      return service.core().diskState() == DiskState.UP_TO_DATE ? "Established" : "SyncTarget";
    }
    return switch (link.phase()) {
      case DOWN -> "Connecting";
      case MEETING -> "Connected";
      case SYNCING, FINISHING -> "SyncSource";
      case UP_TO_DATE ->
          link.verify() != null && link.verify().running() ? "VerifyS" : "Established";
      case BEHIND -> "Ahead";
      case REFUSED, PAUSED -> "StandAlone";
    };
  }

  private static String peerDisk(VolumeService service, VolumeView.Link link) {
    if (link.source()) {
      boolean primary = service.core().receiver().source().role() == Role.PRIMARY;
      return (primary ? DiskState.UP_TO_DATE : DiskState.CONSISTENT).toString();
    }
    return switch (link.phase()) {
      case UP_TO_DATE -> DiskState.UP_TO_DATE.toString();
      case SYNCING, FINISHING -> DiskState.INCONSISTENT.toString();
      case BEHIND -> DiskState.OUTDATED.toString();
      default -> "Unknown";
    };
  }

  private static Map<String, Object> requests(NbdMeter meter) {
    Map<String, Object> requests = new LinkedHashMap<>();
    for (NbdMeter.Kind kind : NbdMeter.Kind.values()) {
      long count = meter.requests(kind);
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("count", count);
      one.put("bytes", meter.bytes(kind));
      one.put("meanUs", count == 0 ? 0 : meter.nanos(kind) / count / 1000);
      one.put("p99Us", count == 0 ? 0 : meter.latencyUs(kind, 0.99));
      requests.put(lower(kind), one);
    }
    return requests;
  }

  private static Map<String, Object> link(VolumeService service, VolumeView.Link view) {
    Map<String, Object> link = new LinkedHashMap<>();
    link.put("name", view.name());
    link.put("mode", lower(view.mode()));
    link.put("state", lower(view.phase()));
    link.put("connection", connection(service, view));
    link.put("peerDisk", peerDisk(service, view));
    link.put("inSync", view.inSync());
    link.put("reason", view.source() ? "this side follows it" : view.reason());
    link.put("lastLoss", view.lastLoss());
    link.put("peer", view.peer());
    link.put("bitsSet", view.bitsSet());
    link.put("chunksOutOfSync", view.chunksOutOfSync());
    link.put("queuedBytes", view.queuedBytes());
    link.put("resync", work(view.resync()));
    link.put("verify", work(view.verify()));
    return link;
  }

  private static Map<String, Object> work(VolumeView.Work work) {
    if (work == null) {
      return null;
    }
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("running", work.running());
    report.put("doneBytes", work.doneBytes());
    report.put("totalBytes", work.totalBytes());
    report.put("bytesPerSecond", work.bytesPerSecond());
    report.put("remainingMs", work.remainingMs());
    report.put("chunksSent", work.chunksSent());
    report.put("chunksEqual", work.chunksEqual());
    report.put("mismatches", work.mismatches());
    report.put("repaired", work.repaired());
    report.put("differing", work.differing());
    return report;
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
