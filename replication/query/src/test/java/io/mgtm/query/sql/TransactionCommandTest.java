package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransactionCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      textBlock =
          """
          PREPARE TRANSACTION 'it''s'             | PREPARE           | it's
          prepare transaction /* one */ 'a' -- it | PREPARE           | a
          commit prepared ''                      | COMMIT_PREPARED   | ``
          rollback prepared 'a b'                 | ROLLBACK_PREPARED | a b
          prepare transaction E'a'                | UNSUPPORTED       | -
          commit prepared 'a\\b'                  | COMMIT_PREPARED   | a\\b
          commit prepared $$a'b$$                 | COMMIT_PREPARED   | a'b
          commit prepared $x$$$a$x$               | COMMIT_PREPARED   | $$a
          commit prepared                         | UNSUPPORTED       | -
          end prepared 'a'                        | UNSUPPORTED       | a
          commit and no chain                     | COMMIT            | -
          savepoint prepared                      | SAVEPOINT         | prepared
          release prepared                        | RELEASE           | prepared
          rollback to prepared                    | ROLLBACK_TO       | prepared
          """)
  void namesWhatItDoes(String sql, TransactionCommand.Verb verb, String name) throws SqlException {
    Statement statement = ClassifierTest.classifier().statements(sql).get(0);
    TransactionCommand command = TransactionCommand.of(statement);
    assertThat(command.verb()).isEqualTo(verb);
    assertThat(command.name()).isEqualTo(name);
    assertThat(command.chains()).isFalse();
    boolean refused = verb == TransactionCommand.Verb.UNSUPPORTED;
    assertThat(Refusal.of(statement) != null).isEqualTo(refused);
  }

  @ParameterizedTest
  @CsvSource({
    "commit and chain, COMMIT",
    "end work and chain, COMMIT",
    "rollback transaction and chain, ROLLBACK",
    "abort and chain, ROLLBACK"
  })
  void begins(String sql, TransactionCommand.Verb verb) throws SqlException {
    Statement statement = ClassifierTest.classifier().statements(sql).get(0);
    TransactionCommand command = TransactionCommand.of(statement);
    assertThat(command.verb()).isEqualTo(verb);
    assertThat(command.chains()).isTrue();
    assertThat(Refusal.of(statement)).isNull();
  }
}
