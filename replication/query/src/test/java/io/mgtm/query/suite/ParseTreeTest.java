package io.mgtm.query.suite;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With trees as libpg_query 15 writes them, but for where in the text things are. */
class ParseTreeTest {
  private static ParseTree tree(String statement) throws Exception {
    return new ParseTree(
        new ObjectMapper().readTree("{\"stmts\": [{\"stmt\": {" + statement + "}}]}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "SelectStmt": {"targetList": [{"FuncCall": {"funcname": [{"String": {"sval": "abs"}}]}}]}      |
          "SelectStmt": {"targetList": [{"FuncCall": {"funcname": [{"String": {"sval": "f"}}]}}]}        | the function f
          "SelectStmt": {"lockingClause": [{"LockingClause": {}}]}                                       | lockingClause
          "SelectStmt": {"withClause": {"ctes": [{"CommonTableExpr": {"ctequery": {"DeleteStmt": {}}}}]}} | DeleteStmt
          "ExplainStmt": {"query": {"SelectStmt": {}}, "options": [{"DefElem": {"defname": "analyze"}}]} | EXPLAIN ANALYZE
          "ExplainStmt": {"query": {"SelectStmt": {}}}                                                   |
          "InsertStmt": {}                                                                               | it is InsertStmt
          """)
  void readsDoNotWrite(String statement, String expected) throws Exception {
    assertThat(tree(statement).whyNotRead(0, Set.of("abs"))).isEqualTo(expected);
  }

  private static final String CONSTANT = "{\"A_Const\": {\"ival\": {\"ival\": 1}}}";
  private static final String COLUMN = "{\"ColumnRef\": {}}";

  private static String operator(String name, String left, String right) {
    return "{\"A_Expr\": {\"kind\": \"AEXPR_OP\", \"name\": [{\"String\": {\"sval\": \"%s\"}}], \"lexpr\": %s, \"rexpr\": %s}}"
        .formatted(name, left, right);
  }

  private static String update(String value, String where) {
    return "\"UpdateStmt\": {\"targetList\": [{\"ResTarget\": {\"val\": %s}}], \"whereClause\": %s}"
        .formatted(value, where);
  }

  @Test
  void keyLocalWritesNameTheirRow() throws Exception {
    String key = operator("=", COLUMN, CONSTANT);
    String both =
        "{\"BoolExpr\": {\"boolop\": \"AND_EXPR\", \"args\": [%s, %s]}}".formatted(key, key);
    String sum = operator("+", COLUMN, CONSTANT);
    assertThat(tree(update(sum, key)).whyNotKeyLocal(0)).isNull();
    assertThat(tree(update(CONSTANT, both)).whyNotKeyLocal(0)).isNull();
    assertThat(tree(update(CONSTANT, both.replace("AND", "OR"))).whyNotKeyLocal(0)).isNotNull();
    assertThat(tree(update(operator("/", COLUMN, CONSTANT), key)).whyNotKeyLocal(0)).isNotNull();
    assertThat(tree(update(sum, operator("=", COLUMN, COLUMN))).whyNotKeyLocal(0)).isNotNull();
    assertThat(tree(update(sum, operator("<", COLUMN, CONSTANT))).whyNotKeyLocal(0)).isNotNull();
    assertThat(tree("\"DeleteStmt\": {\"whereClause\": " + key + "}").whyNotKeyLocal(0)).isNull();
    assertThat(tree("\"DeleteStmt\": {}").whyNotKeyLocal(0)).isNotNull();
    String insert =
        "\"InsertStmt\": {\"cols\": [{}], \"selectStmt\": {\"SelectStmt\": {\"valuesLists\": [{\"List\": {\"items\": [%s]}}]}}}";
    assertThat(tree(insert.formatted(CONSTANT)).whyNotKeyLocal(0)).isNull();
    assertThat(tree(insert.formatted(COLUMN)).whyNotKeyLocal(0)).isNotNull();
  }
}
