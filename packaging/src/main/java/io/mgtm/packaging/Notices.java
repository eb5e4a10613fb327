package io.mgtm.packaging;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The licences and notices that the libraries of the class path bring. The programs' jars hold the
 * libraries without them, since many have the same name.
 */
public final class Notices {
  private static final Pattern NAME =
      Pattern.compile(
          "(META-INF/)?(license/)?(LICENSE|NOTICE)[^/]*|about\\.html", Pattern.CASE_INSENSITIVE);
  private static final String RULE = "=".repeat(80);

  private Notices() {}

  /**
   * Writes each text once, with the libraries that have it.
   *
   * @param args the file
   */
  public static void main(String[] args) throws IOException {
    Map<String, List<String>> owners = new TreeMap<>();
    for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path jar = Path.of(path);
      String name = jar.getFileName().toString();
      if (Files.isRegularFile(jar) && !name.startsWith("mgtm-")) {
        read(jar).forEach(text -> owners.computeIfAbsent(text, t -> new ArrayList<>()).add(name));
      }
    }
    StringBuilder all = new StringBuilder();
    owners.forEach(
        (text, jars) -> {
          String whose = String.join(", ", jars.stream().distinct().sorted().toList());
          all.append(RULE).append('\n').append(whose).append('\n').append(RULE).append("\n\n");
          all.append(text).append("\n\n");
        });
    Path file = Path.of(args[0]);
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, all);
  }

  private static List<String> read(Path jar) throws IOException {
    List<String> texts = new ArrayList<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : zip.stream().map(ZipEntry.class::cast).toList()) {
        if (!entry.isDirectory() && NAME.matcher(entry.getName()).matches()) {
          byte[] bytes = zip.getInputStream(entry).readAllBytes();
          texts.add(new String(bytes, StandardCharsets.UTF_8).replace("\r", "").strip());
        }
      }
    }
    return texts;
  }
}
