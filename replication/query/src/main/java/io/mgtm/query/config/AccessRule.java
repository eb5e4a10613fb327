package io.mgtm.query.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;

/**
 * A line that says who may come in and how, as in pg_hba.conf: {@code host DATABASE USER ADDRESS
 * METHOD}. The first that fits decides; when none does nobody comes in.
 */
public final class AccessRule {
  /** Which connections a rule is for. */
  public enum Kind {
    HOST,
    HOSTSSL,
    HOSTNOSSL
  }

  /** What a rule asks of a client. */
  public enum Method {
    SCRAM_SHA_256,
    TRUST,
    REJECT
  }

  private static final String ALL = "all";
  private static final String EXPECTED =
      ": expected host|hostssl|hostnossl DATABASE|all USER|all ADDRESS/BITS|all"
          + " scram-sha-256|trust|reject";

  private final Kind kind;
  private final String database;
  private final String user;
  private final byte[] network;
  private final int bits;
  private final Method method;

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException when it is none; the message says what is expected
   */
  public AccessRule(String line) {
    String[] fields = line.strip().split("\\s+", -1);
    if (fields.length != 5) {
      throw new IllegalArgumentException("\"" + line + "\" is no rule" + EXPECTED);
    }
    kind = read(Kind.class, fields[0], line);
    database = fields[1];
    user = fields[2];
    method = read(Method.class, fields[4].replace('-', '_'), line);
    if (fields[3].equals(ALL)) {
      network = null;
      bits = 0;
      return;
    }
    int slash = fields[3].indexOf('/');
    network = address(slash < 0 ? fields[3] : fields[3].substring(0, slash), line);
    int all = network.length * Byte.SIZE;
    String number = slash < 0 ? Integer.toString(all) : fields[3].substring(slash + 1);
    if (!number.matches("\\d{1,3}") || Integer.parseInt(number) > all) {
      throw new IllegalArgumentException("\"" + line + "\" is no rule" + EXPECTED);
    }
    bits = Integer.parseInt(number);
  }

  private static <E extends Enum<E>> E read(Class<E> type, String text, String line) {
    try {
      return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("\"" + line + "\" is no rule" + EXPECTED, e);
    }
  }

  private static byte[] address(String text, String line) {
    // Only what is a number already, so that no name is looked up.
    if (text.matches("[0-9.]+") || text.indexOf(':') >= 0) {
      try {
        return InetAddress.getByName(text).getAddress();
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("\"" + line + "\" is no rule" + EXPECTED, e);
      }
    }
    throw new IllegalArgumentException("\"" + line + "\" is no rule" + EXPECTED);
  }

  /** Whether it decides about this client. */
  public boolean fits(InetAddress from, boolean tls, String toDatabase, String asUser) {
    return (kind == Kind.HOST || (kind == Kind.HOSTSSL) == tls)
        && (database.equals(ALL) || database.equals(toDatabase))
        && (user.equals(ALL) || user.equals(asUser))
        && (network == null || isInNetwork(from.getAddress()));
  }

  private boolean isInNetwork(byte[] address) {
    if (address.length != network.length) {
      return false;
    }
    int whole = bits / Byte.SIZE;
    int rest = bits % Byte.SIZE;
    return Arrays.equals(address, 0, whole, network, 0, whole)
        && (rest == 0 || (address[whole] ^ network[whole]) >> (Byte.SIZE - rest) == 0);
  }

  /** What is asked of the client. */
  public Method method() {
    return method;
  }
}
