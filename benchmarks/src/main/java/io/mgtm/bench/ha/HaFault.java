package io.mgtm.bench.ha;

import io.mgtm.bench.ha.Network.Net;
import java.util.List;

/** What is done to a cluster; a row of the table. */
enum HaFault {
  PATH(
      Place.SITE,
      "replication path cut and restored",
      "goes on; a partial resync",
      Bound.NONE_FAILED,
      0),
  RESYNC(
      Place.SITE,
      "replication paused, data written, resumed",
      "goes on; resync done",
      Bound.RATE,
      500),
  DEATH(Place.SITE, "primary machine dies, one site", "the other serves", Bound.MS, 15_000),
  SITES(
      Place.SITES,
      "primary machine dies, two sites, async",
      "the other serves after the wait",
      Bound.MS,
      HaSetup.SITES_WAIT_MS + 15_000),
  POSTGRES(Place.SITE, "postgres killed", "repaired on its node", Bound.MS, 5_000),
  MARIADB(Place.MARIADB, "mariadbd killed", "repaired on its node", Bound.MS, 5_000),
  ADDRESS(
      Place.SITE, "the service's address removed", "repaired under the database", Bound.MS, 5_000),
  CONTROLLER(
      Place.SITE,
      "controller killed on the primary",
      "it returns and adopts",
      Bound.NONE_FAILED,
      0),
  SWITCHOVER(Place.SITE, "switchover, PostgreSQL", "roles swapped", Bound.MS, 5_000),
  SWITCHOVER_MARIADB(Place.MARIADB, "switchover, MariaDB", "roles swapped", Bound.MS, 5_000),
  PARTITION_FIRST(Place.SITE, "first path cut", "one side serves", Bound.MS, 15_000),
  PARTITION_SECOND(Place.SITE, "second path cut", "one side serves", Bound.MS, 15_000),
  NETWORK(
      Place.SITE,
      "first network lost between all nodes",
      "goes on by the second",
      Bound.NONE_FAILED,
      0),
  PARTITION(Place.SITE, "all paths cut", "one side serves", Bound.MS, 15_000),
  XC(
      Place.XC,
      "GTM leader, proxy, coordinator killed",
      "GTM by its group, the others locally",
      Bound.MS,
      5_000);

  /** Which cluster it is done to. */
  enum Place {
    SITE,
    SITES,
    MARIADB,
    /** A Postgres-XC cluster. */
    XC
  }

  /** What the bound is of. */
  enum Bound {
    /** The longest wait for a commit, in ms. */
    MS,
    /** No transaction fails; the longest wait is measured. */
    NONE_FAILED,
    /** Bytes of a resync, in MB a second, at least. */
    RATE
  }

  private final Place place;
  private final String what;
  private final String expected;
  private final Bound bound;
  private final int limit;

  HaFault(Place place, String what, String expected, Bound bound, int limit) {
    this.place = place;
    this.what = what;
    this.expected = expected;
    this.bound = bound;
    this.limit = limit;
  }

  Place place() {
    return place;
  }

  /** For people. */
  String what() {
    return what;
  }

  String expected() {
    return expected;
  }

  Bound bound() {
    return bound;
  }

  /** In the bound's unit. */
  int limit() {
    return limit;
  }

  /** The networks that the primary, or every node, is cut off from. */
  List<Net> cuts() {
    return switch (this) {
      case PATH, PARTITION_SECOND -> List.of(Net.SECOND);
      case PARTITION_FIRST, NETWORK -> List.of(Net.FIRST);
      case PARTITION -> List.of(Net.FIRST, Net.SECOND);
      default -> List.of();
    };
  }

  /** The bound, for people. */
  String boundText() {
    return switch (bound) {
      case MS -> "≤ " + limit / 1_000 + " s";
      case NONE_FAILED -> "none fails";
      case RATE -> "≥ " + limit + " MB/s";
    };
  }
}
