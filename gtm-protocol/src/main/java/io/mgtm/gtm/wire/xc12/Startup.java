package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.wire.WireException;

/**
 * GTM_StartupPacket, the body of the {@code 'A'} frame that a connection begins with:
 *
 * <pre>
 *  0        64         68         69      72
 * +---------+----------+----------+-------+
 * | name    | type LE  | postm.   | pad   |
 * +---------+----------+----------+-------+
 * </pre>
 *
 * @param postmaster whether the node's life hangs on this connection
 */
public record Startup(String nodeName, NodeType nodeType, boolean postmaster) {

  /**
   * Writes the body.
   *
   * @throws IllegalArgumentException when the name does not fit
   */
  void write(FrameWriter out) {
    int padding = FrameLimits.STARTUP_NAME_BYTES - nodeName.length();
    // The original reads the name as a C string, so a terminator must stand behind it.
    if (padding < 1) {
      throw new IllegalArgumentException(
          "the node name \"" + nodeName + "\" has more than 63 bytes");
    }
    out.putBytes(nodeName).putZeros(padding);
    out.putHostInt(nodeType.code()).putBoolean(postmaster).putZeros(3);
  }

  /** Reads the body; throws when it is not a startup packet. */
  static Startup read(FrameReader in) throws WireException {
    if (in.remaining() != FrameLimits.STARTUP_BODY_BYTES) {
      throw new WireException(
          "startup packet: its body has "
              + in.remaining()
              + " bytes instead of "
              + FrameLimits.STARTUP_BODY_BYTES,
          "This port speaks the GTM protocol of Postgres-XC 1.2.");
    }
    String name = in.readBytes(FrameLimits.STARTUP_NAME_BYTES);
    int nul = name.indexOf(0);
    name = nul < 0 ? name : name.substring(0, nul);
    NameRules.requireText("node name", name);
    int code = in.readHostInt();
    NodeType type = NodeType.ofCode(code);
    if (type == null) {
      throw new WireException("startup packet: unknown node type " + code);
    }
    return new Startup(name, type, in.readBoolean());
  }
}
