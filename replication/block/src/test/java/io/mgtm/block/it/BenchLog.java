package io.mgtm.block.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The transactions that pgbench saw committed, by its log ({@code -l}): {@code client number
 * latency_us script epoch_s epoch_us}.
 */
final class BenchLog {
  /**
   * One transaction.
   *
   * @param client its client
   * @param number its number within the client, from 1
   * @param beganUs when pgbench sent its first statement
   * @param endedUs when pgbench had its commit's answer
   */
  record Transaction(int client, int number, long beganUs, long endedUs) {}

  private BenchLog() {}

  static List<Transaction> read(Path folder) throws IOException {
    List<Transaction> transactions = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path log :
          files.filter(f -> f.getFileName().toString().startsWith("pgbench_log")).toList()) {
        for (String line : Files.readAllLines(log)) {
          String[] fields = line.split(" ", -1);
          long ended = Long.parseLong(fields[4]) * 1_000_000 + Long.parseLong(fields[5]);
          transactions.add(
              new Transaction(
                  Integer.parseInt(fields[0]),
                  Integer.parseInt(fields[1]),
                  ended - Long.parseLong(fields[2]),
                  ended));
        }
      }
    }
    return transactions;
  }
}
