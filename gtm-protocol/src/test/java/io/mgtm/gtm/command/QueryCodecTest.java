package io.mgtm.gtm.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands and queries as gateways send them. */
class QueryCodecTest {
  static List<Command> all() {
    return Stream.concat(SampleCommands.all().stream(), CommandEncodingTest.queries().stream())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("all")
  void aCommandOrQueryComesBackAsItWas(Command command) {
    ByteBuffer bytes = ByteBuffer.allocate(4_096);
    QueryCodec.encode(command, bytes);
    bytes.flip();
    assertThat(QueryCodec.decode(bytes)).isEqualTo(command);
    assertThat(bytes.hasRemaining()).isFalse();
  }
}
