package io.mgtm.gtm.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.UnknownCommandException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Whatever stands in a log entry: commands, or one of the two documented exceptions. */
class CommandFuzzTest {
  @FuzzTest(maxDuration = "2m")
  void aLogEntrysBytes(byte[] data) {
    ByteBuffer in = ByteBuffer.wrap(data);
    try {
      while (in.hasRemaining()) {
        int start = in.position();
        Command command = CommandCodec.decodeLogged(in);
        ByteBuffer out = ByteBuffer.allocate(in.position() - start);
        CommandCodec.encodeLogged(command, out);
        assertThat(out.hasRemaining()).isFalse();
        assertThat(CommandCodec.decodeLogged(out.flip())).isEqualTo(command);
      }
    } catch (BufferUnderflowException | UnknownCommandException e) {
      assertThat(data).isNotEmpty();
    }
  }
}
