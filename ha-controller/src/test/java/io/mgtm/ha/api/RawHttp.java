package io.mgtm.ha.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.common.HostPort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;

/** HTTP as no library would send it: bytes as they are given, one request on each connection. */
final class RawHttp {
  private RawHttp() {}

  /**
   * What was answered.
   *
   * @param head the status line and the headers
   */
  record Answer(int status, String head, String body) {
    /** A header's value, empty when there is none. */
    String header(String name) {
      for (String line : head.split("\r\n", -1)) {
        if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
          return line.substring(name.length() + 1).strip();
        }
      }
      return "";
    }
  }

  /** Sends a request, says that no more comes, and reads the whole answer. */
  static Answer send(HostPort to, byte[] head, byte[] body) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (Socket socket = new Socket(to.host(), to.port())) {
      try {
        socket.getOutputStream().write(head);
        socket.getOutputStream().write(body);
        socket.shutdownOutput();
      } catch (IOException e) {
        // It is answered before it was read.
      }
      try {
        socket.getInputStream().transferTo(answer);
      } catch (IOException e) {
        if (answer.size() == 0) {
          throw e;
        }
      }
    }
    return parse(answer.toByteArray());
  }

  private static Answer parse(byte[] bytes) throws IOException {
    String text = new String(bytes, ISO_8859_1);
    int end = text.indexOf("\r\n\r\n");
    if (end < 0 || !text.startsWith("HTTP/1.1 ")) {
      throw new IOException("no answer but \"" + text + "\"");
    }
    String head = text.substring(0, end);
    byte[] rest = text.substring(end + 4).getBytes(ISO_8859_1);
    if (head.startsWith("HTTP/1.1 1")) {
      // "Go on": the answer comes behind it.
      return parse(rest);
    }
    return new Answer(Integer.parseInt(head.substring(9, 12)), head, new String(rest, UTF_8));
  }
}
