package io.mgtm.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.mgtm.bench.volume.Exec;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What docker/compose.yaml names is there. */
class ComposeTest {
  private static final Path DOCKER = Path.of("..", "docker").toAbsolutePath().normalize();
  private static final int EXEC_SECONDS = 60;
  private static final int CONTROLLER_PORT = 7902;
  private static final Pattern OWN_IMAGE = Pattern.compile("\\$\\{MGTM_\\w+_IMAGE:-mgtm-(\\w+)}");
  private static final Pattern TARGET = Pattern.compile("(?m)^FROM \\S+ AS (\\w+)$");

  private static JsonNode yaml(String name) throws IOException {
    return new YAMLMapper().readTree(DOCKER.resolve(name).toFile());
  }

  private static Set<String> names(Pattern pattern, String file) throws IOException {
    return pattern
        .matcher(Files.readString(DOCKER.resolve(file)))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void imagesAreTargetsOfTheDockerfile() throws IOException {
    Set<String> used = names(OWN_IMAGE, "compose.yaml");
    assertThat(used).contains("gtm", "proxy", "volume", "all", "xc");
    // That of Postgres-XC has a Dockerfile of its own.
    used.remove("xc");
    assertThat(names(TARGET, "Dockerfile"))
        .contains("gtm", "proxy", "volume", "ha", "all")
        .containsAll(used);
  }

  @Test
  void filesThatAreMountedAreThere() throws IOException {
    List<String> mounted = new ArrayList<>();
    for (JsonNode service : yaml("compose.yaml").path("services")) {
      service.path("volumes").forEach(volume -> mounted.add(volume.asText().split(":", 2)[0]));
    }
    List<Path> files =
        mounted.stream()
            .filter(source -> source.startsWith("."))
            .map(source -> DOCKER.resolve(source).normalize())
            .toList();
    assertThat(files).hasSizeGreaterThan(5).allSatisfy(file -> assertThat(file).exists());
    assertThat(mounted)
        .filteredOn(source -> !source.startsWith("."))
        .isSubsetOf(
            yaml("compose.yaml").path("volumes").properties().stream()
                .map(e -> e.getKey())
                .toList());
  }

  /** A target is a service, or the address of one, that serves its metrics at that port. */
  @Test
  void prometheusAsksWhatIsServed() throws IOException {
    JsonNode services = yaml("compose.yaml").path("services");
    List<String> missing = new ArrayList<>();
    for (JsonNode target : yaml("prometheus.yaml").findValues("targets")) {
      for (JsonNode text : target) {
        HostPort at = HostPort.parse(text.asText());
        boolean served =
            services.path(at.host()).path("command").toString().contains("0.0.0.0:" + at.port());
        if (!served && !(addresses().contains(at.host()) && at.port() == CONTROLLER_PORT)) {
          missing.add(text.asText());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  private static Set<String> addresses() throws IOException {
    return yaml("compose.yaml").path("services").findValuesAsText("ipv4_address").stream()
        .collect(Collectors.toSet());
  }

  @Test
  void controllersHaveTheAddressesOfTheirFile() throws IOException {
    Set<String> configured =
        yaml("ha.yaml").path("nodes").findValues("addresses").stream()
            .map(list -> list.path(0).asText())
            .collect(Collectors.toSet());
    assertThat(addresses()).isEqualTo(configured);
  }

  @Test
  void composeTakesAllProfiles() throws Exception {
    List<String> command = new ArrayList<>(compose());
    command.addAll(List.of("-f", DOCKER.resolve("compose.yaml").toString()));
    for (MatchResult profile :
        Pattern.compile("profiles: \\[(\\w+)]")
            .matcher(Files.readString(DOCKER.resolve("compose.yaml")))
            .results()
            .toList()) {
      command.addAll(List.of("--profile", profile.group(1)));
    }
    command.addAll(List.of("config", "-q"));
    assertThat(Exec.run(EXEC_SECONDS, command)).isEmpty();
  }

  private static List<String> compose() throws InterruptedException {
    for (List<String> program : List.of(List.of("docker", "compose"), List.of("docker-compose"))) {
      if (Exec.succeeds(EXEC_SECONDS, with(program, "version"))) {
        return program;
      }
    }
    return abort("SKIPPED: Docker: no docker compose and no docker-compose");
  }

  private static List<String> with(List<String> program, String argument) {
    List<String> command = new ArrayList<>(program);
    command.add(argument);
    return command;
  }
}
