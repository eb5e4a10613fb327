package io.mgtm.ha.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.ContentTooLargeResponse;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.http.HttpStatus;
import io.javalin.http.UnsupportedMediaTypeResponse;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Scope;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Bodies of requests. What is wrong with one is told with a status of 4xx. */
final class Request {
  static final int BODY_BYTES_MAX = 1 << 20;
  private static final int NAME_MAX = 63;
  private static final String BODY = "mgtm.body";

  /** Each read ends with the connection's idle time; all together end soon after this. */
  /**
   * So much of a body that is too large is read all the same: the answer is lost on a client that
   * still sends when its connection is closed.
   */
  private static final long READ_BYTES_MAX = 8 << 20;

  private static final long BODY_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

  private static final Set<String> JSON_TYPES = Set.of("application/json");
  private static final Set<String> YAML_TYPES =
      Set.of("application/yaml", "application/x-yaml", "text/yaml");

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .withCoercionConfig(
              LogicalType.Textual,
              text ->
                  text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
          .build();

  private Request() {}

  /**
   * Of an action on a hierarchy.
   *
   * @param node where it shall be in service; empty to let the controller choose
   * @param acceptLoss that the node's copy may lack acknowledged writes
   */
  record Act(String node, Boolean acceptLoss) {
    Act {
      node = Request.name(node);
      acceptLoss = acceptLoss != null && acceptLoss;
    }
  }

  /**
   * Of an action on a node.
   *
   * @param rest what becomes of what a retired node has and no other node can have
   */
  record NodeAct(Rest rest) {
    NodeAct {
      rest = rest == null ? Rest.STAYS : rest;
    }
  }

  /** Of a beginning or ending maintenance. */
  record Maintenance(Scope scope, String name, @JsonProperty(required = true) Boolean on) {
    Maintenance {
      name = Request.name(name);
      if (scope == null) {
        throw new IllegalArgumentException("scope is missing: CLUSTER, NODE or HIERARCHY");
      }
      if (on == null) {
        throw new IllegalArgumentException("on is missing: true or false");
      }
      if (scope == Scope.CLUSTER && !name.isEmpty()) {
        throw new IllegalArgumentException(
            "scope CLUSTER has no name; of a node or hierarchy say NODE or HIERARCHY");
      }
    }
  }

  private static String name(String given) {
    if (given != null && given.length() > NAME_MAX) {
      throw new IllegalArgumentException("a name has " + NAME_MAX + " characters at most");
    }
    return given == null ? "" : given;
  }

  /** A body in JSON; an empty one is an object without fields. */
  static <T> T json(Context ctx, Class<T> type) {
    byte[] body = body(ctx, JSON_TYPES);
    try {
      T value =
          JSON.readValue(body.length == 0 ? "{}".getBytes(StandardCharsets.UTF_8) : body, type);
      if (value == null) {
        throw new BadRequestResponse("the body is null, expected a JSON object");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new BadRequestResponse("the body is not as expected: " + wrong(e));
    } catch (IOException e) {
      throw new BadRequestResponse("the body is no text in UTF-8");
    }
  }

  /** Without the names of classes, which are in Jackson's own words. */
  private static String wrong(JsonProcessingException e) {
    if (e instanceof UnrecognizedPropertyException unknown) {
      return "there is no field \"%s\"; there are %s"
          .formatted(Audit.clean(unknown.getPropertyName()), unknown.getKnownPropertyIds());
    }
    if (e.getCause() instanceof IllegalArgumentException ours) {
      return ours.getMessage();
    }
    if (!(e instanceof JsonMappingException mapping)) {
      return e.getOriginalMessage();
    }
    String field =
        mapping.getPath().stream()
            .map(JsonMappingException.Reference::getFieldName)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("."));
    if (field.isEmpty()) {
      return "expected an object";
    }
    return "the field \"%s\" is %s".formatted(Audit.clean(field), expected(e));
  }

  private static String expected(JsonProcessingException e) {
    Class<?> type = e instanceof MismatchedInputException wrong ? wrong.getTargetType() : null;
    if (type == null) {
      return "missing, or not what it is to be";
    }
    return type.isEnum()
        ? "none of " + Arrays.toString(type.getEnumConstants())
        : "not of its type, " + type.getSimpleName().toLowerCase(Locale.ROOT);
  }

  /** A configuration. */
  static String yaml(Context ctx) {
    byte[] body = body(ctx, YAML_TYPES);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException e) {
      throw new BadRequestResponse("the body is no text in UTF-8");
    }
  }

  /** A type that is not given is taken for the right one. */
  private static byte[] body(Context ctx, Set<String> types) {
    String type = ctx.contentType();
    if (type != null && !types.contains(type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))) {
      throw new UnsupportedMediaTypeResponse(
          "the body has a type that is not understood here, expected " + types.iterator().next());
    }
    if (ctx.req().getContentLengthLong() > READ_BYTES_MAX) {
      throw tooLarge();
    }
    long begun = System.nanoTime();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] piece = new byte[8192];
    long came = 0;
    try {
      InputStream in = ctx.req().getInputStream();
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        came += n;
        if (came <= BODY_BYTES_MAX) {
          body.write(piece, 0, n);
        } else if (came > READ_BYTES_MAX) {
          throw tooLarge();
        }
        if (System.nanoTime() - begun > BODY_NANOS_MAX) {
          throw new HttpResponseException(
              HttpStatus.REQUEST_TIMEOUT.getCode(), "the body takes too long to come");
        }
      }
    } catch (IOException e) {
      throw new BadRequestResponse("the body ends before its time");
    }
    if (came > BODY_BYTES_MAX) {
      throw tooLarge();
    }
    ctx.attribute(BODY, body.toByteArray());
    return body.toByteArray();
  }

  /** The body that was read before; empty when none was. */
  static byte[] body(Context ctx) {
    byte[] read = ctx.attribute(BODY);
    return read == null ? new byte[0] : read;
  }

  private static ContentTooLargeResponse tooLarge() {
    return new ContentTooLargeResponse("the body is larger than 1 MiB");
  }
}
