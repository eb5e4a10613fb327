package io.mgtm.gtm.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandDecoder;
import io.mgtm.gtm.command.CommandDecoder.UnknownCommandException;
import io.mgtm.gtm.command.CommandEncoder;
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
        Command command = CommandDecoder.decode(in);
        ByteBuffer out = ByteBuffer.allocate(in.position() - start);
        CommandEncoder.encode(command, out);
        assertThat(out.hasRemaining()).isFalse();
        assertThat(CommandDecoder.decode(out.flip())).isEqualTo(command);
      }
    } catch (BufferUnderflowException | UnknownCommandException e) {
      assertThat(data).isNotEmpty();
    }
  }
}
