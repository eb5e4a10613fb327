package io.mgtm.ha.kit;

import io.mgtm.common.FileErrors;
import io.mgtm.common.SecretFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.w3c.dom.Element;

/**
 * A program that switches a machine off from outside, such as those of Debian's package
 * fence-agents. It reads a line {@code NAME=VALUE} for each parameter, of which {@code action} is
 * one (ClusterLabs/fence-agents, doc/FenceAgentAPI.md). Any thread; the calls block.
 *
 * @param agent its name, or its path
 * @param parameters what it is told, which everybody may see
 * @param parametersFile a file of more such lines, passwords among them, which nobody is shown
 * @param timeoutMs so long it may take, with making sure of it
 */
public record FenceAgent(
    String agent, Map<String, String> parameters, Optional<Path> parametersFile, int timeoutMs) {
  private static final int META_MS = 20_000;
  private static final int META_BYTES_MAX = 256 << 10;
  private static final int FILE_BYTES_MAX = 8 << 10;
  private static final int AGAIN_MS = 200;

  /** Of {@code status}, when the machine is off. */
  private static final int OFF = 2;

  private static final List<String> FOLDERS =
      List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,63}");

  /** These the controller says itself. */
  private static final Set<String> OWN = Set.of("action", "option", "nodename");

  private static final Pattern SECRET =
      Pattern.compile("(?i).*(passw|passphrase|secret|token|api_?key).*(?<!_script|_file)");

  /** Keeps the parameters immutable and in their order. */
  public FenceAgent {
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }

  /**
   * Switches a node's machine off, and makes sure of it.
   *
   * @param notes the folder where the program is noted while it runs
   * @throws KitException when that is not sure, with the reason
   * @throws InterruptedException when the thread was interrupted; the program is killed by then
   */
  public void switchOff(String node, Path notes) throws KitException, InterruptedException {
    Map<String, String> hidden = hidden();
    Deadline deadline = Deadline.in(timeoutMs);
    try {
      run("off", node, hidden, deadline, notes).succeeded();
      // The agent's own success is not enough: some tell it before the machine is off.
      Programs.Ended status = run("status", node, hidden, deadline, notes);
      while (status.status() != OFF) {
        KitException on =
            new KitException(
                "it was told to switch it off, and ends with status %d after \"status\"%s"
                    .formatted(status.status(), Programs.said(status.output())));
        if (deadline.leftMs() <= AGAIN_MS) {
          throw on;
        }
        Thread.sleep(AGAIN_MS);
        try {
          status = run("status", node, hidden, deadline, notes);
        } catch (KitException cutShort) {
          // What it said while there was time tells more than that there was none left.
          throw on;
        }
      }
    } catch (KitException e) {
      throw new KitException(without(hidden.values(), e.getMessage()));
    }
  }

  private Programs.Ended run(
      String action, String node, Map<String, String> hidden, Deadline deadline, Path notes)
      throws KitException, InterruptedException {
    StringBuilder input = new StringBuilder();
    Stream.of(parameters, hidden, Map.of("action", action, "nodename", node))
        .flatMap(all -> all.entrySet().stream())
        .forEach(one -> input.append(one.getKey()).append('=').append(one.getValue()).append('\n'));
    return Programs.run(
        Program.of(deadline, program().toString()).notedIn(notes).reading(input.toString()));
  }

  /** An agent may say what it was told. */
  private static String without(Collection<String> secrets, String text) {
    String shown = text;
    for (String secret : secrets) {
      shown = secret.isEmpty() ? shown : shown.replace(secret, "***");
    }
    return shown;
  }

  private Path program() throws KitException {
    return Stream.concat(Stream.of(Path.of("/")), FOLDERS.stream().map(Path::of))
        .filter(folder -> agent.startsWith("/") == folder.equals(Path.of("/")))
        .map(folder -> folder.resolve(agent))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new KitException(
                    "there is no program %s here; those of many machines are in Debian's package fence-agents"
                        .formatted(agent)));
  }

  /** The parameters that nobody is shown. */
  private Map<String, String> hidden() throws KitException {
    Map<String, String> hidden = new TreeMap<>();
    if (parametersFile.isEmpty()) {
      return hidden;
    }
    Path file = parametersFile.get();
    List<String> lines;
    try {
      if (SecretFile.isOpenToOthers(file)) {
        throw new KitException("%1$s can be read by others; chmod 600 %1$s".formatted(file));
      }
      if (Files.size(file) > FILE_BYTES_MAX) {
        throw new KitException(file + " is larger than 8 KiB");
      }
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new KitException("cannot read %s: %s".formatted(file, FileErrors.reason(e)), e);
    }
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      int equals = line.indexOf('=');
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String name = line.substring(0, Math.max(0, equals)).strip();
      if (!NAME.matcher(name).matches() || OWN.contains(name)) {
        // Not the line itself, which may be a password.
        throw new KitException(
            "%s: line %d: expected NAME=VALUE, and none of %s"
                .formatted(file, i + 1, String.join(", ", OWN.stream().sorted().toList())));
      }
      hidden.put(name, line.substring(equals + 1).strip());
    }
    return hidden;
  }

  /**
   * What is wrong with what the configuration itself says, on any machine.
   *
   * @return the key at fault below {@code fence} and a sentence
   */
  public Optional<ResourceCheck.Problem> wrong() {
    for (Map.Entry<String, String> one : parameters.entrySet()) {
      String name = one.getKey();
      if (!NAME.matcher(name).matches() || OWN.contains(name)) {
        return problem(name, "is no parameter of a fence agent, or one that the controller sets");
      }
      if (one.getValue().chars().anyMatch(Character::isISOControl)) {
        return problem(name, "has a control character");
      }
      if (SECRET.matcher(name).matches()) {
        return problem(
            name,
            "can be read here by everybody; write it into a file of mode 0600, a line"
                + " NAME=VALUE, and name that by parametersFile");
      }
    }
    return Optional.empty();
  }

  /**
   * What is wrong on this machine, as the agent itself tells its parameters; nothing where there is
   * no such program, since only those need it that may lead.
   *
   * @throws InterruptedException when the thread was interrupted
   */
  public Optional<ResourceCheck.Problem> wrongHere() throws InterruptedException {
    Map<String, String> given = new LinkedHashMap<>(parameters);
    try {
      given.putAll(hidden());
    } catch (KitException e) {
      return Optional.of(new ResourceCheck.Problem("parametersFile", e.getMessage()));
    }
    try {
      return isHere() ? wrong(given, described()) : Optional.empty();
    } catch (KitException e) {
      return Optional.of(new ResourceCheck.Problem("agent", e.getMessage()));
    }
  }

  /** Whether this machine has the program. */
  public boolean isHere() {
    try {
      program();
      return true;
    } catch (KitException e) {
      return false;
    }
  }

  private List<Element> described() throws KitException, InterruptedException {
    Programs.Ended told =
        Programs.run(
                Program.of(Deadline.in(META_MS), program().toString())
                    .reading("action=metadata\n")
                    .keeping(META_BYTES_MAX))
            .succeeded();
    return OcfAgent.elements(OcfAgent.metaData(agent, told.told()), "parameter");
  }

  private Optional<ResourceCheck.Problem> wrong(Map<String, String> given, List<Element> known) {
    Set<String> names = new TreeSet<>();
    known.forEach(one -> names.add(one.getAttribute("name")));
    for (String name : given.keySet()) {
      if (!names.contains(name)) {
        return problem(name, Nearest.unknown("parameter", name, names));
      }
    }
    for (Element one : known) {
      String name = one.getAttribute("name");
      boolean must =
          one.getAttribute("required").equals("1")
              && !one.getAttribute("deprecated").equals("1")
              && !OWN.contains(name);
      // What it is called by now, or what it was called before.
      if (must && !given.containsKey(name) && !given.containsKey(one.getAttribute("obsoletes"))) {
        return problem(name, "is missing: " + OcfAgent.text(one, "shortdesc", name));
      }
    }
    return Optional.empty();
  }

  private Optional<ResourceCheck.Problem> problem(String parameter, String sentence) {
    return Optional.of(
        new ResourceCheck.Problem(
            parameters.containsKey(parameter) ? "parameters/" + parameter : "parameters",
            parameters.containsKey(parameter) ? sentence : parameter + " " + sentence));
  }
}
