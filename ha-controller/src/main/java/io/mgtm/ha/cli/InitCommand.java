package io.mgtm.ha.cli;

import io.mgtm.common.Cli;
import io.mgtm.common.ConfigException;
import io.mgtm.common.SecretFile;
import io.mgtm.ha.cli.HostFacts.Interface;
import io.mgtm.ha.cli.HostFacts.Postgres;
import io.mgtm.ha.cli.InitPlan.Database;
import io.mgtm.ha.cli.InitPlan.Machine;
import io.mgtm.ha.cli.InitPlan.Volume;
import io.mgtm.ha.cli.InitPlan.Witness;
import io.mgtm.ha.cli.Questions.Question;
import io.mgtm.ha.config.ClusterFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.Charset;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm ha init}: a cluster's configuration from what a person knows. */
@Command(
    name = "init",
    description = {
      "Asks what a person knows, and writes the configuration and the secret of a cluster.",
      "Each option answers a question; with --yes nothing is asked, and defaults are taken."
    },
    mixinStandardHelpOptions = true)
final class InitCommand implements Callable<Integer> {
  private static final String NONE = "none";

  private static final int SECRET_BYTES = 32;

  /** Where defaults are looked for, and who answers; others in tests. */
  private final Path root;

  private final Reader input;

  @Spec private CommandSpec spec;

  @Option(
      names = "--node",
      paramLabel = "NAME=ADDRESS[,ADDRESS]",
      converter = MachineConverter.class,
      description = "A machine that may run the database; once for each, the preferred first.")
  private List<Machine> nodes;

  @Option(
      names = "--witness",
      paramLabel = "NAME=ADDRESS|DISK",
      description =
          "A machine that only votes, so that two can outvote one; or the path of a disk that both"
              + " machines reach; or none.")
  private String witness;

  @Option(names = "--database", paramLabel = "KIND", description = "postgresql or mariadb.")
  private String database;

  @Option(names = "--database-folder", paramLabel = "DIR", description = "Its data folder.")
  private String folder;

  @Option(names = "--port", paramLabel = "PORT", description = "Its port.")
  private String port;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS/PREFIX",
      description = "The address that clients connect to; it moves with the database.")
  private String address;

  @Option(names = "--device", paramLabel = "DEVICE", description = "The network device it is on.")
  private String device;

  @Option(
      names = "--volume-size",
      paramLabel = "SIZE",
      description = "Of the replicated volume with the data, such as 10G; or none.")
  private String volumeSize;

  @Option(
      names = "--volume-file",
      paramLabel = "FILE",
      description = "The file or device with a machine's copy of the volume.")
  private String volumeFile;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "db",
      description = "Its name. Default: ${DEFAULT-VALUE}.")
  private String cluster;

  @Option(
      names = "--to",
      paramLabel = "FILE",
      defaultValue = "/etc/mgtm/ha.yaml",
      description = "Where it is written; the secret beside it. Default: ${DEFAULT-VALUE}.")
  private Path to;

  @Option(names = "--force", description = "Though the file is there; its secret is kept.")
  private boolean force;

  @Option(names = "--yes", description = "Ask nothing, and take the defaults.")
  private boolean yes;

  /** Reads the option's value. */
  static final class MachineConverter implements ITypeConverter<Machine> {
    @Override
    public Machine convert(String text) {
      return Cli.value(text, Machine::parse);
    }
  }

  InitCommand() {
    this(Path.of("/"), new InputStreamReader(System.in, Charset.defaultCharset()));
  }

  InitCommand(Path root, Reader input) {
    this.root = root;
    this.input = input;
  }

  @Override
  public Integer call() throws IOException, ConfigException {
    Path target = to.toAbsolutePath();
    if (!force && Files.exists(target)) {
      throw new ConfigException(
          target + " is there already; --force writes it anew, --to FILE elsewhere");
    }
    PrintWriter out = spec.commandLine().getOut();
    InitPlan plan = plan(target, new Questions(yes ? null : new BufferedReader(input), out));
    plan.check();
    ClusterFile.parse(target.toString(), plan.yaml(), HaMain.KITS);
    InitSteps.tell(plan, write(target, plan), out);
    out.flush();
    return 0;
  }

  private InitPlan plan(Path target, Questions questions) throws IOException, ConfigException {
    HostFacts facts = HostFacts.of(root);
    List<Machine> machines = machines(facts, questions);
    Witness votes =
        machines.size() != 2 && witness == null
            ? Witness.NONE
            : questions.ask(
                question(
                    "A witness that only votes, NAME=ADDRESS, or the path of a disk that both reach",
                    "--witness",
                    witness,
                    NONE),
                text -> text.equals(NONE) ? Witness.NONE : Witness.parse(text));
    Database what = database(facts, questions);
    Optional<Interface> via = facts.toward(machines.get(0).addresses().get(0));
    String prefix = via.map(each -> "/" + each.prefix()).orElse("");
    String moves =
        questions.ask(
            question("The address that moves with it, ADDRESS/PREFIX", "--address", address, ""),
            text -> InitPlan.cidr(text.contains("/") ? text : text + prefix));
    String on =
        questions.ask(
            question(
                "Its network device", "--device", device, via.map(Interface::device).orElse("")),
            text -> text);
    return new InitPlan(
        cluster,
        machines,
        votes,
        what,
        moves,
        on,
        volume(target, questions),
        target.resolveSibling("ha.secret"));
  }

  private static Question question(String text, String option, String given, String byDefault) {
    return new Question(text, option, given, byDefault);
  }

  private List<Machine> machines(HostFacts facts, Questions questions)
      throws IOException, ConfigException {
    if (nodes != null) {
      return nodes;
    }
    String here =
        facts.name().isEmpty() || facts.interfaces().isEmpty()
            ? ""
            : facts.name() + "=" + facts.interfaces().get(0).address();
    List<Machine> all = new ArrayList<>();
    all.add(
        questions.ask(
            question("This machine, NAME=ADDRESS", "--node", null, here), Machine::parse));
    all.addAll(
        questions.ask(
            question("The other machines for the database, NAME=ADDRESS", "--node", null, ""),
            Machine::parseAll));
    return all;
  }

  private Database database(HostFacts facts, Questions questions)
      throws IOException, ConfigException {
    String kit =
        questions.ask(
            question("The database, postgresql or mariadb", "--database", database, "postgresql"),
            InitCommand::kit);
    Optional<Postgres> found =
        kit.equals("postgresql") ? facts.postgres().stream().findFirst() : Optional.empty();
    boolean onVolume = volumeSize != null && !volumeSize.equals(NONE);
    String usualFolder = onVolume ? "/var/lib/mysql/data" : "/var/lib/mysql";
    String byDefault = kit.equals("mariadb") ? usualFolder : "";
    String data =
        questions.ask(
            question(
                "Its data folder",
                "--database-folder",
                folder,
                found.map(Postgres::data).orElse(byDefault)),
            InitCommand::absolute);
    Optional<Postgres> known =
        facts.postgres().stream().filter(one -> one.data().equals(data)).findFirst();
    String usual = kit.equals("mariadb") ? "3306" : "5432";
    String listens =
        questions.ask(
            question("Its port", "--port", port, known.map(Postgres::port).orElse(usual)),
            InitCommand::number);
    Map<String, String> more =
        kit.equals("mariadb")
            ? Map.of("socket", "/run/mysqld/mysqld.sock")
            : known
                .filter(one -> !one.config().isEmpty())
                .map(one -> Map.of("config", one.config()))
                .orElse(Map.of());
    return new Database(kit, data, listens, more);
  }

  private static String kit(String text) {
    if (!List.of("postgresql", "mariadb").contains(text)) {
      throw new IllegalArgumentException(
          "\"%s\" is not known here: expected postgresql or mariadb; other kits are set in the file, see docs/kits.md"
              .formatted(text));
    }
    return text;
  }

  private static String absolute(String text) {
    if (!text.startsWith("/") || text.equals("/")) {
      throw new IllegalArgumentException("\"" + text + "\" is no path from / on");
    }
    return Path.of(text).normalize().toString();
  }

  private static String number(String text) {
    if (!text.matches("[1-9]\\d{0,4}") || Integer.parseInt(text) > 0xffff) {
      throw new IllegalArgumentException("\"" + text + "\" is no port from 1 to 65535");
    }
    return text;
  }

  private Optional<Volume> volume(Path target, Questions questions)
      throws IOException, ConfigException {
    String size =
        questions.ask(
            question(
                "The size of a replicated volume for the data, such as 10G",
                "--volume-size",
                volumeSize,
                NONE),
            InitCommand::size);
    if (size.equals(NONE)) {
      return Optional.empty();
    }
    String copy =
        questions.ask(
            question(
                "The file or device with each machine's copy of it",
                "--volume-file",
                volumeFile,
                "/var/lib/mgtm-volumes/" + cluster + ".volume"),
            InitCommand::absolute);
    return Optional.of(new Volume(copy, size, target.resolveSibling("ha-volume.key")));
  }

  private static String size(String text) {
    if (!text.equals(NONE) && !text.matches("[1-9]\\d{0,14}[KMGT]?")) {
      throw new IllegalArgumentException("\"" + text + "\" is no size, such as 10G, nor none");
    }
    return text;
  }

  /**
   * The secrets first: a file that names them is of use only with them.
   *
   * @return the files, the configuration first, and whether each is new
   */
  private Map<Path, Boolean> write(Path target, InitPlan plan) throws IOException {
    Files.createDirectories(target.getParent());
    Map<Path, Boolean> all = new LinkedHashMap<>();
    all.put(target, true);
    all.put(plan.secretFile(), draw(plan.secretFile()));
    if (plan.volume().isPresent()) {
      Path key = plan.volume().get().linkKey();
      all.put(key, draw(key));
    }
    Path next = Files.createTempFile(target.getParent(), ".ha", ".yaml");
    try {
      Files.writeString(next, plan.yaml());
      Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
      if (force) {
        Files.move(next, target, StandardCopyOption.ATOMIC_MOVE);
      } else {
        Files.createLink(target, next); // not over one that was written meanwhile
      }
    } finally {
      Files.deleteIfExists(next);
    }
    return all;
  }

  /** Whether it is new: one that is there is kept, since other machines may have it already. */
  private static boolean draw(Path file) throws IOException {
    byte[] secret = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    try {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, HexFormat.of().formatHex(secret) + "\n");
      return true;
    } catch (FileAlreadyExistsException e) {
      SecretFile.ofLinks("the secret in", file);
      return false;
    }
  }
}
