package io.mgtm.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The build of the C libraries, where something that it needs is missing. */
class BuildScriptTest {

  private static final Path SCRIPT = Path.of("src/main/c/build.sh").toAbsolutePath();

  @TempDir Path folder;

  @Test
  void aMissingCompilerIsToldAndIsNoFailure() throws Exception {
    String said = build("no-such-compiler", Path.of(System.getProperty("java.home")), "plain");
    assertThat(said).contains("[WARNING] native: libmgtm_flash.so is not built");
    assertThat(reason("mgtm_flash")).contains("without a C compiler: apt-get install gcc");
    assertThat(reason("mgtm_rdma")).isEqualTo(reason("mgtm_flash"));
  }

  @Test
  void aMissingHeaderNamesItsPackage() throws Exception {
    Path compiler = folder.resolve("compiler-without-headers");
    Files.writeString(compiler, "#!/bin/sh\nexit 1\n");
    assertThat(compiler.toFile().setExecutable(true)).isTrue();
    Path home = Path.of(System.getProperty("java.home"));
    Assumptions.assumeTrue(Files.exists(home.resolve("include/jni.h")), "this JVM is no JDK");
    build(compiler.toString(), home, "plain");
    assertThat(reason("mgtm_flash")).contains("<liburing.h>").contains("liburing-dev");
    assertThat(reason("mgtm_rdma")).contains("<rdma/rdma_cma.h>").contains("librdmacm-dev");
  }

  @Test
  void leftOutOnPurposeSaysSo() throws Exception {
    build("sh", folder, "skip");
    assertThat(reason("mgtm_rdma")).contains("-Dnative.build=skip");
    assertThat(folder.resolve("out/libmgtm_rdma.so")).doesNotExist();
  }

  private String reason(String name) throws IOException {
    return Files.readString(folder.resolve("out/lib" + name + ".missing")).strip();
  }

  private String build(String compiler, Path javaHome, String variant) throws Exception {
    String out = folder.resolve("out").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            "sh", SCRIPT.toString(), out, folder.toString(), javaHome.toString(), variant);
    builder.environment().put("CC", compiler);
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }
}
