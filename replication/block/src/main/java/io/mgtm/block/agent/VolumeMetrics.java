package io.mgtm.block.agent;

import io.mgtm.block.nbd.NbdMeter;
import io.mgtm.block.volume.Fencing;
import io.mgtm.block.volume.LinkPhase;
import io.mgtm.block.volume.VolumeView;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * A volume's metrics. Link and role figures are copied on the owner's event loop once a second and
 * read from any thread.
 */
final class VolumeMetrics {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private volatile List<VolumeView.Link> links = List.of();
  private volatile boolean primary;
  private volatile boolean consistent;
  private volatile boolean detached;
  private volatile Fencing.Waiting fence;
  private volatile long storeErrors;
  private volatile String failure;

  VolumeMetrics(String volume, NbdMeter meter, int linkCount) {
    Tags tags = Tags.of("volume", volume);
    for (NbdMeter.Kind kind : NbdMeter.Kind.values()) {
      Tags kinds = tags.and("kind", kind.name().toLowerCase(Locale.ROOT));
      FunctionCounter.builder("mgtm_volume_requests", meter, m -> m.requests(kind))
          .tags(kinds)
          .register(registry);
      FunctionCounter.builder("mgtm_volume_bytes", meter, m -> m.bytes(kind))
          .tags(kinds)
          .register(registry);
      FunctionCounter.builder("mgtm_volume_request_seconds", meter, m -> m.nanos(kind) / 1e9)
          .tags(kinds)
          .register(registry);
      TimeGauge.builder(
              "mgtm_volume_request_p99", meter, TimeUnit.MICROSECONDS, m -> m.latencyUs(kind, 0.99))
          .tags(kinds)
          .register(registry);
    }
    FunctionCounter.builder("mgtm_volume_request_errors", meter, NbdMeter::errors)
        .tags(tags)
        .register(registry);
    Gauge.builder("mgtm_volume_primary", this, m -> m.primary ? 1 : 0)
        .tags(tags)
        .register(registry);
    Gauge.builder("mgtm_volume_consistent", this, m -> m.consistent ? 1 : 0)
        .tags(tags)
        .register(registry);
    Gauge.builder("mgtm_volume_suspended", this, m -> m.fence == null ? 0 : 1)
        .tags(tags)
        .register(registry);
    FunctionCounter.builder("mgtm_volume_store_errors", this, m -> m.storeErrors)
        .tags(tags)
        .register(registry);
    for (int i = 0; i < linkCount; i++) {
      linkGauges(tags, i);
    }
  }

  private void linkGauges(Tags tags, int index) {
    Tags link = tags.and("link", Integer.toString(index));
    linkGauge(
        "mgtm_volume_link_up_to_date", link, index, v -> v.phase() == LinkPhase.UP_TO_DATE ? 1 : 0);
    linkGauge("mgtm_volume_link_bits_set", link, index, VolumeView.Link::bitsSet);
    linkGauge("mgtm_volume_link_chunks_out_of_sync", link, index, VolumeView.Link::chunksOutOfSync);
    linkGauge("mgtm_volume_link_queued_bytes", link, index, VolumeView.Link::queuedBytes);
    linkGauge(
        "mgtm_volume_link_resync_bytes_per_second",
        link,
        index,
        v -> v.resync() == null ? 0 : v.resync().bytesPerSecond());
    linkGauge(
        "mgtm_volume_link_resync_remaining_seconds",
        link,
        index,
        v -> v.resync() == null ? 0 : v.resync().remainingMs() / 1000.0);
  }

  private void linkGauge(
      String name, Tags tags, int index, ToDoubleFunction<VolumeView.Link> value) {
    Gauge.builder(
            name, this, m -> index < m.links.size() ? value.applyAsDouble(m.links.get(index)) : 0)
        .tags(tags)
        .register(registry);
  }

  /** Copies what only the owner may read. */
  void refresh(VolumeService service) {
    links = service.core().view().links();
    primary = service.core().isPrimary();
    consistent = service.core().state().consistent();
    detached = service.core().isDetached();
    fence = service.core().fencing().waiting();
    storeErrors = service.storeErrors();
    failure = StatusReport.failure(service);
  }

  /** What is wrong, or empty. */
  String problem() {
    Fencing.Waiting suspended = fence;
    if (suspended != null) {
      return StatusReport.suspended(suspended);
    }
    if (detached) {
      return StatusReport.DISKLESS;
    }
    String notWritten = failure;
    if (notWritten != null) {
      return notWritten;
    }
    if (!consistent) {
      return "inconsistent: a resync is under way or was cut short";
    }
    for (VolumeView.Link link : links) {
      if (primary && link.phase() != LinkPhase.UP_TO_DATE) {
        return "link " + link.name() + " is " + link.phase() + ": " + link.reason();
      }
    }
    return "";
  }

  String scrape() {
    return registry.scrape();
  }
}
