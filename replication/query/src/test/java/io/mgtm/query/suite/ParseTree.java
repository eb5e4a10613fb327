package io.mgtm.query.suite;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import java.util.TreeSet;

/**
 * What PostgreSQL's parser makes of a statement, as libpg_query 15 writes it, and whether it is
 * what the classifier has taken it for. Pure.
 */
final class ParseTree {
  private static final Set<String> WRITES =
      Set.of("InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "lockingClause", "intoClause");

  private static final Set<String> SUMS = Set.of("+", "-", "*");

  private final JsonNode statements;

  /**
   * A tree.
   *
   * @param tree of a text that may have several statements
   */
  ParseTree(JsonNode tree) {
    this.statements = tree.path("stmts");
  }

  int statements() {
    return statements.size();
  }

  private JsonNode statement(int number) {
    return statements.get(number).path("stmt");
  }

  /**
   * Why a statement is none that only reads, or null.
   *
   * @param steady the functions of PostgreSQL's that are not volatile
   */
  String whyNotRead(int number, Set<String> steady) {
    JsonNode statement = statement(number);
    if (statement.has("ExplainStmt")) {
      for (JsonNode option : statement.path("ExplainStmt").path("options")) {
        if (option.path("DefElem").path("defname").asText().equals("analyze")) {
          return "EXPLAIN ANALYZE";
        }
      }
    } else if (!statement.has("SelectStmt")) {
      return "it is " + statement.fieldNames().next();
    }
    Set<String> found = new TreeSet<>();
    collect(statement, found, steady);
    return found.isEmpty() ? null : String.join(", ", found);
  }

  private static void collect(JsonNode node, Set<String> found, Set<String> steady) {
    node.fieldNames().forEachRemaining(name -> note(name, node.get(name), found, steady));
    node.forEach(child -> collect(child, found, steady));
  }

  private static void note(String name, JsonNode child, Set<String> found, Set<String> steady) {
    if (WRITES.contains(name)) {
      found.add(name);
    }
    if (name.equals("FuncCall")) {
      JsonNode names = child.path("funcname");
      String function = names.path(names.size() - 1).path("String").path("sval").asText();
      if (!steady.contains(function)) {
        found.add("the function " + function);
      }
    }
  }

  /** Why a statement is not of the shape that docs/query.md has for class K, or null. */
  String whyNotKeyLocal(int number) {
    JsonNode statement = statement(number);
    String kind = statement.fieldNames().next();
    JsonNode its = statement.path(kind);
    for (String clause :
        Set.of("withClause", "returningList", "fromClause", "usingClause", "onConflictClause")) {
      if (its.has(clause)) {
        return "it has a " + clause;
      }
    }
    return switch (kind) {
      case "InsertStmt" -> whyNotValues(its);
      case "UpdateStmt" -> isOfKey(its) && areSums(its) ? null : "an UPDATE by more than its key";
      case "DeleteStmt" -> isOfKey(its) ? null : "a DELETE by more than its key";
      default -> "it is " + kind;
    };
  }

  private static String whyNotValues(JsonNode insert) {
    JsonNode lists = insert.path("selectStmt").path("SelectStmt").path("valuesLists");
    if (lists.isEmpty() || insert.path("cols").isEmpty()) {
      return "an INSERT without columns or VALUES";
    }
    for (JsonNode list : lists) {
      for (JsonNode item : list.path("List").path("items")) {
        if (!isConstant(item)) {
          return "an INSERT of more than constants";
        }
      }
    }
    return null;
  }

  private static boolean isConstant(JsonNode node) {
    JsonNode signed = node.path("A_Expr");
    boolean sign =
        !signed.has("lexpr")
            && SUMS.contains(operator(signed))
            && signed.path("rexpr").has("A_Const");
    return node.has("A_Const") || node.has("ParamRef") || sign;
  }

  private static String operator(JsonNode expression) {
    JsonNode names = expression.path("name");
    return names.size() == 1 ? names.get(0).path("String").path("sval").asText() : "";
  }

  private static boolean isOfKey(JsonNode write) {
    JsonNode where = write.path("whereClause");
    JsonNode all = where.path("BoolExpr");
    if (!all.isMissingNode()) {
      boolean and = all.path("boolop").asText().equals("AND_EXPR");
      for (JsonNode one : all.path("args")) {
        and &= isEquality(one);
      }
      return and;
    }
    return isEquality(where);
  }

  private static boolean isEquality(JsonNode node) {
    JsonNode expression = node.path("A_Expr");
    return expression.path("kind").asText().equals("AEXPR_OP")
        && operator(expression).equals("=")
        && expression.path("lexpr").has("ColumnRef")
        && isConstant(expression.path("rexpr"));
  }

  private static boolean areSums(JsonNode update) {
    boolean sums = true;
    for (JsonNode target : update.path("targetList")) {
      sums &= isSum(target.path("ResTarget").path("val"));
    }
    return sums;
  }

  private static boolean isSum(JsonNode node) {
    JsonNode expression = node.path("A_Expr");
    return isConstant(node)
        || node.has("ColumnRef")
        || (expression.path("kind").asText().equals("AEXPR_OP")
            && SUMS.contains(operator(expression))
            && isSum(expression.path("lexpr"))
            && isSum(expression.path("rexpr")));
  }
}
