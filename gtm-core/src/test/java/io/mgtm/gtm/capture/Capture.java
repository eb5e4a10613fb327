package io.mgtm.gtm.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.gtm.wire.xc12.MessageType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** A recording of the original's traffic, cut into requests with their replies. */
final class Capture {
  private static final int NODE_TYPE_AT = 5 + 64;
  private static final int PROXY = 1;
  private static final int BACKEND_DISCONNECT = MessageType.BACKEND_DISCONNECT.code();

  /**
   * One request as it was recorded.
   *
   * @param conn the connection's number
   * @param request the frame
   * @param reply the frame that answered it, or null when none does
   * @param askedAt seconds, when it was read from the client
   * @param answeredAt seconds, when its answer was read; askedAt when there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // two exchanges are never equal
  record Exchange(int conn, byte[] request, byte[] reply, double askedAt, double answeredAt) {
    char type() {
      return (char) request[0];
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // two are never equal
  private record Asked(int conn, byte[] request, double at) {}

  private final List<Exchange> exchanges = new ArrayList<>();
  private final Map<Integer, byte[]> fromClient = new HashMap<>();
  private final Map<Integer, byte[]> fromServer = new HashMap<>();
  private final Map<Integer, Deque<Asked>> waiting = new HashMap<>();
  private final Map<Integer, Boolean> proxied = new HashMap<>();

  private Capture() {}

  /** Reads a recording from the test resources, its exchanges in the order of their requests. */
  static List<Exchange> read(String name) throws IOException {
    Capture capture = new Capture();
    String resource = "/captures/postgres-xc-1.2.1/" + name + ".jsonl.gz";
    ObjectMapper json = new ObjectMapper();
    try (InputStream in = Capture.class.getResourceAsStream(resource);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(new GZIPInputStream(in), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        capture.add(json.readTree(line));
      }
    }
    if (capture.waiting.values().stream().anyMatch(d -> !d.isEmpty())) {
      throw new IOException(resource + ": requests without an answer");
    }
    capture.exchanges.sort(java.util.Comparator.comparingDouble(Exchange::askedAt));
    return capture.exchanges;
  }

  private void add(JsonNode event) {
    if (!event.has("hex")) {
      return;
    }
    int conn = event.get("conn").asInt();
    byte[] bytes = HexFormat.of().parseHex(event.get("hex").asText());
    double at = event.get("t").asDouble();
    if (event.get("dir").asText().equals(">")) {
      frames(fromClient, conn, bytes).forEach(frame -> asked(conn, frame, at));
    } else {
      frames(fromServer, conn, bytes).forEach(frame -> answered(conn, frame, at));
    }
  }

  private static List<byte[]> frames(Map<Integer, byte[]> partial, int conn, byte[] more) {
    byte[] all = concat(partial.getOrDefault(conn, new byte[0]), more);
    List<byte[]> frames = new ArrayList<>();
    int at = 0;
    while (all.length - at >= 5) {
      int size = 1 + java.nio.ByteBuffer.wrap(all, at + 1, 4).getInt();
      if (all.length - at < size) {
        break;
      }
      frames.add(java.util.Arrays.copyOfRange(all, at, at + size));
      at += size;
    }
    partial.put(conn, java.util.Arrays.copyOfRange(all, at, all.length));
    return frames;
  }

  private static byte[] concat(byte[] a, byte[] b) {
    byte[] all = java.util.Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, all, a.length, b.length);
    return all;
  }

  private void asked(int conn, byte[] frame, double at) {
    if (frame[0] == 'A') {
      proxied.put(conn, frame[NODE_TYPE_AT] == PROXY);
    }
    if (expectsReply(conn, frame)) {
      waiting.computeIfAbsent(conn, c -> new ArrayDeque<>()).add(new Asked(conn, frame, at));
    } else {
      exchanges.add(new Exchange(conn, frame, null, at, at));
    }
  }

  private boolean expectsReply(int conn, byte[] frame) {
    int typeAt = proxied.getOrDefault(conn, false) ? 7 : 5;
    return frame[0] == 'A'
        || (frame[0] == 'C'
            && java.nio.ByteBuffer.wrap(frame).getInt(typeAt) != BACKEND_DISCONNECT);
  }

  private void answered(int conn, byte[] frame, double at) {
    Asked asked = waiting.get(conn).remove();
    exchanges.add(new Exchange(conn, asked.request(), frame, asked.at(), at));
  }
}
