package io.mgtm.bench.tpcc;

import picocli.CommandLine.Command;

/** {@code mgtm bench tpcc}: a small TPC-C. */
@Command(
    name = "tpcc",
    description = {
      "A small TPC-C over JDBC, in the manner of JdbcRunner's Tiny TPC-C: load fills a database,"
          + " run drives it, check looks whether its tables agree.",
      "What it prints is no TPC-C result, which takes an audit."
    },
    mixinStandardHelpOptions = true,
    subcommands = {TpccLoadCommand.class, TpccRunCommand.class, TpccCheckCommand.class})
public final class TpccCommand {}
