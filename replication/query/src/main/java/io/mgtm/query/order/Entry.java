package io.mgtm.query.order;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * An entry of the log. Its number is above those of all entries before it.
 *
 * <pre>
 * | version:u8 | kind:u8 | number:i64 | what the kind has |
 * commits: | settled:i64 | parts:i32 | each: database, slot:i32, bytes:i32 (-1 for none), effects |
 * the same, of which some server had prepared one: each: ..., effects, token (empty for none) |
 * fence:   nothing
 * server:  | address, status:u8, why, since:i64 |
 * dropped: | of:i64 | slot:i32 |
 * leads:   | name, address, key (former versions: none) |
 * settled: | upTo:i64 |
 * prepares: | gid, owner, database, slot:i32, bytes:i32, effects, token |
 * rolls back: | token |
 * </pre>
 *
 * Texts are their length as i32 and UTF-8.
 */
public sealed interface Entry {
  /** What {@link #encoded} adds to a {@link Commits} beside its parts. */
  int COMMITS_BYTES = 2 + 2 * Long.BYTES + Integer.BYTES;

  /** Kinds of {@link Commits}; former versions know the first alone. */
  int COMMITS = 1;

  int PREPARED = 7;

  long number();

  /**
   * Transactions that are decided, none of which conflicts with another.
   *
   * @param settled all entries up to this number are at all servers that are in
   */
  record Commits(long number, long settled, List<Part> parts) implements Entry {
    public Commits {
      parts = List.copyOf(parts);
    }
  }

  /** Its number is what servers are fenced with from now on. */
  record Fence(long number) implements Entry {}

  /** A server is in, and one of the servers from then on; or out, or removed. */
  record Server(long number, String address, ServerState state) implements Entry {}

  /** A transaction that was decided is at no server, and is to be at none. */
  record Dropped(long number, long of, int slot) implements Entry {}

  /**
   * One of several replicators leads from here on.
   *
   * @param address where clients reach it
   * @param key by which the others prove that a connection is of the group; empty while this one
   *     does not serve clients, because it still takes the servers over, or is about to stop
   */
  record Leads(long number, String name, String address, String key) implements Entry {}

  /** All entries up to a number are at all servers that are in. */
  record Settled(long number, long upTo) implements Entry {}

  /**
   * A client has prepared a transaction, which stays so at all servers until another entry commits
   * a part with its token, or rolls it back.
   *
   * @param gid the client's name of it
   * @param owner the role that may end it
   */
  record Prepares(long number, String gid, String owner, Part part) implements Entry {
    /** The same, for who keeps it. */
    Prepares copy() {
      return new Prepares(number, gid, owner, part.copy());
    }
  }

  /** A client has rolled back what was prepared. */
  record RollsBack(long number, UUID token) implements Entry {}

  /** As it stands in the log. */
  default ByteBuffer encoded() {
    Codec.Out out = new Codec.Out();
    if (this instanceof Commits commits) {
      boolean prepared = commits.parts.stream().anyMatch(part -> part.token() != null);
      out.kind(prepared ? PREPARED : COMMITS, commits.number);
      out.i64(commits.settled).i32(commits.parts.size());
      commits.parts.forEach(part -> part.write(out, prepared));
    } else if (this instanceof Fence fence) {
      out.kind(2, fence.number);
    } else if (this instanceof Server server) {
      out.kind(3, server.number).text(server.address);
      server.state.write(out);
    } else if (this instanceof Dropped dropped) {
      out.kind(4, dropped.number).i64(dropped.of).i32(dropped.slot);
    } else if (this instanceof Leads leads) {
      out.kind(5, leads.number).text(leads.name).text(leads.address).text(leads.key);
    } else if (this instanceof Settled settled) {
      out.kind(6, settled.number).i64(settled.upTo);
    } else if (this instanceof Prepares prepares) {
      out.kind(8, prepares.number).text(prepares.gid).text(prepares.owner);
      prepares.part.write(out, true);
    } else if (this instanceof RollsBack rollsBack) {
      out.kind(9, rollsBack.number).text(rollsBack.token.toString());
    }
    return out.done();
  }

  /** The number alone. */
  static long numberOf(ByteBuffer encoded) {
    return encoded.getLong(encoded.position() + 2);
  }

  /**
   * Reads one; its effects are parts of {@code encoded}.
   *
   * @throws IllegalArgumentException when it is of a version or kind that is not known
   */
  static Entry decoded(ByteBuffer encoded) {
    Codec.In in = new Codec.In(encoded);
    int kind = in.kind();
    long number = in.i64();
    switch (kind) {
      case COMMITS, PREPARED -> {
        long settled = in.i64();
        int count = in.i32();
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          parts.add(Part.read(in, kind == PREPARED));
        }
        return new Commits(number, settled, parts);
      }
      case 2 -> {
        return new Fence(number);
      }
      case 3 -> {
        return new Server(number, in.text(), ServerState.read(in));
      }
      case 4 -> {
        return new Dropped(number, in.i64(), in.i32());
      }
      case 5 -> {
        return new Leads(number, in.text(), in.text(), in.hasMore() ? in.text() : "");
      }
      case 6 -> {
        return new Settled(number, in.i64());
      }
      case 8 -> {
        return new Prepares(number, in.text(), in.text(), Part.read(in, true));
      }
      case 9 -> {
        return new RollsBack(number, UUID.fromString(in.text()));
      }
      default -> throw new IllegalArgumentException("an entry of kind " + kind);
    }
  }
}
