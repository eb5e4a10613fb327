package io.mgtm.jni;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads one of the C libraries out of the jar, once a process.
 *
 * <p>The jar holds {@code io/mgtm/native/<os>-<arch>/lib<name>.so} with its SHA-256 beside it in
 * {@code .sha256}, or, when it could not be built, the reason in {@code .missing}. The library is
 * copied to a file of this user's alone, compared with its checksum, loaded, and the file removed.
 */
public final class NativeLibrary {

  /** The system property that names a directory to load from instead of the jar. */
  public static final String PATH_PROPERTY = "io.mgtm.native.path";

  private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

  private NativeLibrary() {}

  /** The name of this operating system and processor, as in {@code linux-x86_64}. */
  public static String platform() {
    String arch = System.getProperty("os.arch");
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return os + "-" + (arch.equals("amd64") ? "x86_64" : arch);
  }

  /**
   * Loads a library; its callers remember the answer.
   *
   * @param name such as {@code mgtm_flash}
   * @return whether its native methods can be called, and why not; never throws
   */
  public static Availability load(String name) {
    Availability answer = tryLoad(name);
    if (answer.usable()) {
      LOG.info("native library {} is loaded", name);
    } else {
      LOG.info("native library {} is not used: {}", name, answer.reason());
    }
    return answer;
  }

  private static Availability tryLoad(String name) {
    String file = "lib" + name + ".so";
    try {
      String directory = System.getProperty(PATH_PROPERTY);
      if (directory == null) {
        String resource = "/io/mgtm/native/" + platform() + "/" + file;
        byte[] library = read(resource);
        if (library == null) {
          byte[] reason = read(resource.replace(".so", ".missing"));
          return Availability.no(
              reason == null
                  ? "this jar has no "
                      + file
                      + " for "
                      + platform()
                      + "; build it on such a machine"
                  : new String(reason, StandardCharsets.UTF_8).strip());
        }
        loadCopy(file, library, read(resource + ".sha256"));
      } else {
        System.load(Path.of(directory, file).toAbsolutePath().toString());
      }
      int abi = Memory.abi();
      return abi == Memory.ABI
          ? Availability.yes()
          : Availability.no(file + " has version " + abi + " and not " + Memory.ABI);
    } catch (IOException | UnsatisfiedLinkError | NoSuchAlgorithmException e) {
      return Availability.no(file + " cannot be loaded: " + e.getMessage());
    }
  }

  private static void loadCopy(String file, byte[] library, byte[] checksum)
      throws IOException, NoSuchAlgorithmException {
    Path copy = Files.createTempFile("mgtm-", "-" + file);
    try {
      Files.write(copy, library);
      String found = sha256(Files.readAllBytes(copy));
      String wanted = checksum == null ? "none" : text(checksum);
      if (!found.equals(wanted)) {
        throw new IOException(copy + " has the checksum " + found + ", but the jar says " + wanted);
      }
      System.load(copy.toString());
    } finally {
      Files.delete(copy);
    }
  }

  private static String text(byte[] checksum) {
    return new String(checksum, StandardCharsets.US_ASCII).split(" ", 2)[0].strip();
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static byte[] read(String resource) throws IOException {
    try (InputStream in = NativeLibrary.class.getResourceAsStream(resource)) {
      return in == null ? null : in.readAllBytes();
    }
  }
}
