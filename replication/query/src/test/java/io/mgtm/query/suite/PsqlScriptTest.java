package io.mgtm.query.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PsqlScriptTest {
  private static List<String> pieces(String text) {
    PsqlScript script = PsqlScript.parse(text);
    return IntStream.range(0, script.size()).mapToObj(script::piece).map(String::strip).toList();
  }

  @Test
  void statementsEndAsPsqlHasIt() {
    assertThat(pieces("select 1; select ';' /* ; /* ; */ ; */, \";\" -- ;\n + 1;"))
        .containsExactly("select 1;", "select ';' /* ; /* ; */ ; */, \";\" -- ;\n + 1;");
    assertThat(pieces("select $a$;$$;$a$, e'\\';', '\\'; create rule r do (a; b);"))
        .containsExactly("select $a$;$$;$a$, e'\\';', '\\';", "create rule r do (a; b);");
    assertThat(
            pieces(
                "create or replace function f() begin atomic select case when a then b end; end;"
                    + " begin; end;"))
        .containsExactly(
            "create or replace function f() begin atomic select case when a then b end; end;",
            "begin;",
            "end;");
    assertThat(pieces("set standard_conforming_strings = off;\nselect '\\';';\nselect 2;"))
        .hasSize(3);
  }

  @Test
  void commandsOfPsqlEndWithTheirLine() {
    assertThat(pieces("\\d t;\nselect 1 as a \\gset\nselect :a \\; select 2;\nselect 1\n\\p\n+ 2;"))
        .containsExactly(
            "\\d t;", "select 1 as a \\gset", "select :a \\; select 2;", "select 1\n\\p\n+ 2;");
  }

  @Test
  void dataAreOfTheirStatement() {
    assertThat(pieces("copy t from stdin;\n1\tit's\n\\.\nselect 1;"))
        .containsExactly("copy t from stdin;\n1\tit's\n\\.", "select 1;");
    assertThat(pieces("copy t (bad) from stdin;\nselect 1;\ncopy t from stdin;\n1\n\\."))
        .containsExactly("copy t (bad) from stdin;", "select 1;", "copy t from stdin;\n1\n\\.");
  }

  @Test
  void linesTellOfPiecesAlsoWhenSomeAreLeftOut() {
    PsqlScript script = PsqlScript.parse("select\n1;\nselect 2; select 3;");
    assertThat(script.without(Set.of(0)).lines().map(String::strip))
        .containsExactly("-- left out", "select 2;", "select 3;");
    assertThat(script.lines(Set.of(0))).containsEntry(2, 1).containsEntry(3, 2);
    assertThat(script.lines(Set.of())).containsEntry(1, 0).containsEntry(3, 1);
  }
}
