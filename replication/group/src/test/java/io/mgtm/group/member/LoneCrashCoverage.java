package io.mgtm.group.member;

/** How often the simulation came to the places that it is there for. */
final class LoneCrashCoverage {
  int processDeaths;
  int powerLosses;
  int cleanStops;
  int tailsCut;
  int checkpoints;
  int segmentsDropped;
  int forcesFailed;
  int entriesGoneInTheSameBoot;
  int roomRefused;
}
