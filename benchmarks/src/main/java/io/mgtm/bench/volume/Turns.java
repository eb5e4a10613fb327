package io.mgtm.bench.volume;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Servers that take turns under 4 KiB reads and writes at random. One thread. */
final class Turns {

  /** Starts a server, whose name is that of its socket. */
  interface Starter {
    Servant start(String server) throws IOException, InterruptedException;
  }

  /** Takes what was measured, load by load. */
  interface Rows {
    void row(String load, int depth, Rounds rounds);
  }

  private final Programs programs;
  private final Fio fio;
  private final List<Integer> depths;
  private final int rounds;

  Turns(Programs programs, Fio fio, List<Integer> depths, int rounds) {
    this.programs = programs;
    this.fio = fio;
    this.depths = List.copyOf(depths);
    this.rounds = rounds;
  }

  /** Fills what lies behind a server. */
  void fill(String server, Starter starter) throws IOException, InterruptedException {
    try (Servant running = starter.start(server)) {
      fio.fill(programs.socket(server));
      running.checkAlive();
    }
  }

  /**
   * Measures each load.
   *
   * @param servers in the order of their turns of the first round
   * @param compiled those whose compiler needs a moment under load, once in a process's life
   */
  void measure(Rows rows, List<String> servers, Set<String> compiled, Starter starter)
      throws IOException, InterruptedException {
    for (String load : List.of("randread", "randwrite")) {
      for (int depth : depths) {
        Rounds figures = new Rounds();
        for (int round = 0; round < rounds; round++) {
          List<String> turn = new ArrayList<>(servers);
          // Who begins changes, so that what drifts harms all alike.
          Collections.rotate(turn, round);
          for (String server : turn) {
            try (Servant running = starter.start(server)) {
              if (compiled.contains(server)) {
                fio.warmUp(programs.socket(server), load, depth);
              }
              figures.add(server, fio.random(programs.socket(server), load, depth));
              running.checkAlive();
            }
          }
        }
        rows.row(load, depth, figures);
      }
    }
  }
}
