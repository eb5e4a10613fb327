package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A machine that dies, or is cut off, ends none of its connections. */
class DeadMachinesTest {
  private static final int READ_MS = 180_000;

  /** Says who it is, and nothing more. */
  private static Socket dead(InetSocketAddress member) throws IOException {
    Socket socket = new Socket(member.getAddress(), member.getPort());
    socket.setSoTimeout(READ_MS);
    Hello hello = new Hello(MemberAddress.of("dead", OwnAddress.address()), "test");
    socket.getOutputStream().write(LinksTest.bytesOf(hello));
    return socket;
  }

  private static boolean isTaken(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() >= 0;
    } catch (IOException e) {
      return false; // it was reset
    }
  }

  @Test
  void thoseThatHaveDiedBeforeTakeNobodysPlace() throws IOException {
    List<Socket> dead = new ArrayList<>();
    try (Node a = new Node();
        Node b = new Node()) {
      a.sees(b);
      b.sees(a);
      b.reaches(a, "first");
      for (boolean room = true; room; ) {
        Socket next = dead(a.place);
        dead.add(next);
        room = isTaken(next);
      }
      assertThat(dead).hasSizeBetween(Gate.OF_ONE_ADDRESS_MAX / 2, Gate.OF_ONE_ADDRESS_MAX);
      closeIdle(a);
      b.reaches(a, "between");
      closeIdle(a);
      Await.until("room", () -> isTaken(kept(dead(a.place), dead)));
      assertThat(a.ended).isEmpty();
    } finally {
      for (Socket socket : dead) {
        socket.close();
      }
    }
  }

  private static Socket kept(Socket socket, List<Socket> all) {
    all.add(socket);
    return socket;
  }

  private static void closeIdle(Node node) {
    node.onLoop(
        links -> {
          links.listener().closeIdle();
          return 0;
        });
  }
}
