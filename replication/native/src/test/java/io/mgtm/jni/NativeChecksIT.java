package io.mgtm.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests of flash and RDMA again, in a JVM that watches the native code: it checks each JNI
 * call, and has the C libraries built with AddressSanitizer and UBSan. Planted faults show that
 * both would find one.
 */
class NativeChecksIT {

  private static final Path CHECKED =
      Path.of(System.getProperty("native.asan", "target/native-asan"));
  private static final String[] TESTS = {"io.mgtm.jni.TestRunner", "io.mgtm.flash", "io.mgtm.rdma"};
  private static final String MISSING = "libmgtm_flash.missing";
  private static final String JNI_FINDING = "in native method";
  private static final String ASAN_FINDING = "ERROR: AddressSanitizer";

  @TempDir Path folder;

  /** How a JVM ended and what it said. */
  private record Run(int status, String output) {}

  /** Both at once; the first alone where there is no sanitizer. */
  @Test
  void neitherFindsAnything() throws Exception {
    requireLibrary();
    boolean sanitized = !Files.exists(CHECKED.resolve(MISSING));
    List<String> options = new ArrayList<>(List.of("-Xcheck:jni"));
    if (sanitized) {
      options.add("-D" + NativeLibrary.PATH_PROPERTY + "=" + CHECKED.toAbsolutePath());
    }
    Run run = run(java(options, TESTS), sanitized ? sanitizer() : Map.of());
    assertThat(run.output())
        .doesNotContain(JNI_FINDING)
        .doesNotContain(ASAN_FINDING)
        .doesNotContain("runtime error:");
    assertThat(run.status()).as(run.output()).isZero();
    requireSanitizer();
  }

  @Test
  void withLittleLockedMemoryPoolsAreNotRegisteredAndAllWorks() throws Exception {
    Run run = withLockedMemory(300 << 10, "io.mgtm.flash.FlashContractTest");
    // Of this user's other processes, such as a profiler with its buffers.
    Assumptions.assumeFalse(
        run.output().contains("io_uring_setup fails with ENOMEM"),
        "others hold the memory that this user may lock");
    assertThat(run.output()).contains("the pools are not registered with the ring");
    assertThat(run.output()).contains(" 0 failed, 0 SKIPPED");
    assertThat(run.status()).as(run.output()).isZero();
  }

  @Test
  void whereTheKernelGivesNoRingTheFileChannelIsUsed() throws Exception {
    Run run = withLockedMemory(0, "io.mgtm.flash.FlashAvailabilityTest");
    assertThat(run.status()).as(run.output()).isZero();
    Run contract = withLockedMemory(0, "io.mgtm.flash.FlashContractTest");
    assertThat(contract.output())
        .contains("io_uring_setup fails with ENOMEM")
        .contains("ulimit -l");
    assertThat(contract.status()).as(contract.output()).isZero();
  }

  private Run withLockedMemory(int bytes, String tests) throws Exception {
    requireLibrary();
    Assumptions.assumeTrue(
        System.getProperty("user.name").equals("root")
            && Files.exists(Path.of("/usr/bin/setpriv"))
            && Files.exists(Path.of("/usr/bin/prlimit")),
        "needs root, setpriv and prlimit");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("prlimit", "--memlock=" + bytes));
    command.addAll(List.of("setpriv", "--bounding-set=-ipc_lock"));
    command.addAll(java(List.of(), "io.mgtm.jni.TestRunner", tests));
    return run(command, Map.of());
  }

  @Test
  void aKernelWithoutMemoryForASubmissionIsAskedAgain() throws Exception {
    requireSanitizer();
    Map<String, String> refusing = new HashMap<>(sanitizer());
    refusing.put("MGTM_REFUSE_SUBMISSIONS", "1");
    String path = "-D" + NativeLibrary.PATH_PROPERTY + "=" + CHECKED.toAbsolutePath();
    String[] tests = {"io.mgtm.jni.TestRunner", "io.mgtm.flash.FlashContractTest"};
    Run run = run(java(List.of(path), tests), refusing);
    assertThat(run.output()).contains(" 0 failed, 0 SKIPPED");
    assertThat(run.status()).as(run.output()).isZero();
  }

  @Test
  void jniChecksFindAPlantedFault() throws Exception {
    requireSanitizer();
    String library = CHECKED.resolve("libmgtm_planted.so").toAbsolutePath().toString();
    List<String> options = List.of("-Xcheck:jni");
    Run run = run(java(options, "io.mgtm.jni.PlantedFault", "exception", library), sanitizer());
    assertThat(run.output()).contains(JNI_FINDING);
  }

  @Test
  void addressSanitizerFindsPlantedFaults() throws Exception {
    requireSanitizer();
    String library = CHECKED.resolve("libmgtm_planted.so").toAbsolutePath().toString();
    for (String fault : new String[] {"overflow", "use-after-free"}) {
      Run run = javaWithSanitizer("io.mgtm.jni.PlantedFault", fault, library);
      assertThat(run.output()).contains(ASAN_FINDING).contains("planted.c");
      assertThat(run.status()).isEqualTo(23);
    }
  }

  private static void requireLibrary() {
    Availability flash = NativeLibrary.load("mgtm_flash");
    Assumptions.assumeTrue(flash.usable(), flash.reason());
  }

  private static void requireSanitizer() throws IOException {
    Path missing = CHECKED.resolve(MISSING);
    Assumptions.assumeFalse(
        Files.exists(missing),
        () -> {
          try {
            return Files.readString(missing);
          } catch (IOException e) {
            return e.getMessage();
          }
        });
    assertThat(CHECKED.resolve("asan.path")).exists();
  }

  private Run javaWithSanitizer(String... arguments) throws Exception {
    requireSanitizer();
    String path = "-D" + NativeLibrary.PATH_PROPERTY + "=" + CHECKED.toAbsolutePath();
    return run(java(List.of(path), arguments), sanitizer());
  }

  private static Map<String, String> sanitizer() throws IOException {
    // the JVM handles SIGSEGV itself, and the search for leaks cannot read its memory
    return Map.of(
        "LD_PRELOAD",
        Files.readString(CHECKED.resolve("asan.path")).strip(),
        "ASAN_OPTIONS",
        "handle_segv=0:detect_leaks=0:exitcode=23");
  }

  private static List<String> java(List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(arguments));
    return command;
  }

  private Run run(List<String> command, Map<String, String> environment) throws Exception {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(300, TimeUnit.SECONDS)).as("ends in time").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Run(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
  }
}
