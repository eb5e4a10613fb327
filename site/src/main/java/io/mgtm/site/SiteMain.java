package io.mgtm.site;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.Cli;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.proxy.ProxyConfig;
import io.mgtm.query.config.QueryConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** {@code ./mgtm site}: the documentation as HTML. */
public final class SiteMain {
  private static final Pattern USAGE =
      Pattern.compile("(?ms)<<'USAGE'\n(Usage: \\./mgtm((?: [a-z]+)?).*?)^USAGE$");

  private SiteMain() {}

  /**
   * Writes it; ends with status 1, and a line for each, when a link leads nowhere.
   *
   * @param args the folder of the sources, and where to
   */
  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]).toAbsolutePath().normalize();
    Site site = new Site(root, reference(root));
    site.faults().forEach(fault -> System.err.println("mgtm: " + fault));
    if (!site.faults().isEmpty()) {
      System.exit(1);
    }
    Path out = Path.of(args[1]).toAbsolutePath().normalize();
    try {
      site.write(out);
    } catch (IOException e) {
      System.err.println("mgtm: the site was not written: " + Cli.sentence(e));
      System.exit(1);
    }
    System.out.println(out.resolve("index.html"));
  }

  /** The pages that the programs themselves tell, by their titles. */
  static Map<String, Page> reference(Path root) throws IOException {
    Map<String, Page> pages = new LinkedHashMap<>();
    add(pages, "./mgtm", "reference/launcher.md", launcher(root));
    for (CommandLine program : Commands.all().getSubcommands().values()) {
      String name = program.getCommandName();
      add(
          pages,
          "mgtm " + name,
          "reference/" + name + ".md",
          CommandPage.of(program.getCommandSpec()));
    }
    for (Map.Entry<String, String> file : schemas().entrySet()) {
      add(
          pages,
          file.getKey() + ".yaml",
          "reference/" + file.getKey() + "-file.md",
          SchemaPage.of(file.getKey() + ".yaml", new ObjectMapper().readTree(file.getValue())));
    }
    return pages;
  }

  /** The JSON Schemas of configuration files, by the names of their programs. */
  static Map<String, String> schemas() {
    Map<String, String> schemas = new LinkedHashMap<>();
    schemas.put("gtm", GtmConfig.schema());
    schemas.put("proxy", ProxyConfig.schema());
    schemas.put("query", QueryConfig.schema());
    schemas.put("ha", ClusterFile.schemaText());
    return schemas;
  }

  private static void add(Map<String, Page> pages, String title, String path, String text) {
    pages.put(title, new Page(path, text));
  }

  /** What the launcher says of itself and of those of its commands that are no program's. */
  private static String launcher(Path root) throws IOException {
    StringBuilder page = new StringBuilder("# ./mgtm\n");
    Matcher usage = USAGE.matcher(Files.readString(root.resolve("mgtm")));
    while (usage.find()) {
      String command = usage.group(2);
      page.append(command.isEmpty() ? "" : "\n## ./mgtm%s\n".formatted(command));
      page.append("\n```\n").append(usage.group(1)).append("```\n");
    }
    return page.toString();
  }
}
