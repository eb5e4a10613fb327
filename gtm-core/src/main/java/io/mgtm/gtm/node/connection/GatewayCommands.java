package io.mgtm.gtm.node.connection;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.UnknownCommandException;
import io.mgtm.gtm.node.engine.EntryWriter;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkEntries;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What a gateway may send: nothing that is the node's own, and nothing in another's name. */
public final class GatewayCommands {
  /** What a leader itself writes about the sessions of gateways. */
  private static final Set<CommandType> SESSION_COMMANDS =
      EnumSet.of(CommandType.OPEN_FRONT, CommandType.CLOSE_SESSION);

  private GatewayCommands() {}

  /**
   * Checks commands of a session.
   *
   * @throws WireException when one is not a gateway's to send
   */
  public static void check(long session, List<LinkCommand> commands) throws WireException {
    for (int i = 0; i < commands.size(); i++) {
      check(session, commands.get(i).command());
    }
  }

  /**
   * Checks entries that a gateway presents: as a leader writes them, with commands of gateways, and
   * with the beginnings and ends of their sessions, which are missing elsewhere after a leader was
   * alone. The entry that begins a term is never taken from a gateway: who knows of the term has
   * it.
   *
   * @throws WireException when one is not such an entry
   */
  public static void check(LinkEntries entries) throws WireException {
    long number = entries.first();
    for (byte[] entry : entries.entries()) {
      if (number != LinkEntries.FIRST_OF_TERM) {
        check(entry);
      }
      number++;
    }
  }

  private static void check(byte[] entry) throws WireException {
    ByteBuffer in = ByteBuffer.wrap(entry);
    if (entry.length < EntryWriter.HEADER_BYTES
        || entry.length > EntryWriter.ENTRY_BYTES_MAX
        || in.get() != EntryWriter.VERSION
        || in.getLong() < 0) {
      throw new WireException("PRESENT: " + entry.length + " bytes that are no entry");
    }
    try {
      while (in.hasRemaining()) {
        Command command = CommandCodec.decodeLogged(in);
        if (command instanceof SessionCommand.Numbered numbered) {
          check(numbered.session(), numbered.inner());
        } else if (!SESSION_COMMANDS.contains(command.type())) {
          throw new WireException(
              "PRESENT: an entry with "
                  + command.type()
                  + ", which is not a gateway's to bring back");
        }
      }
    } catch (BufferUnderflowException | UnknownCommandException e) {
      throw new WireException("PRESENT: an entry that cannot be read: " + e);
    }
  }

  private static void check(long session, Command command) throws WireException {
    if (command.type().internal()) {
      throw new WireException("COMMANDS: " + command.type() + " is not a gateway's to send");
    }
    if (command instanceof Command.OfSession named && named.session() != session) {
      throw new WireException("COMMANDS: " + command.type() + " names another session");
    }
  }
}
