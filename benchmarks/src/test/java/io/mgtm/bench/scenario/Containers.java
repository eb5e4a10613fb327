package io.mgtm.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Network.Ipam;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.DockerImageName;

/**
 * A network, containers in it and volumes that outlive them, of images that must be there; none is
 * pulled. One thread calls it.
 */
final class Containers implements AutoCloseable {
  private static final String DATA = "/var/lib/mgtm";
  private static final int STOP_S = 30;
  private static final int ID_LENGTH = 12;

  private final DockerClient docker = DockerClientFactory.lazyClient();
  private final Network network;
  private final List<String> volumes = new ArrayList<>();
  private final boolean keep;

  private Containers(Network network, boolean keep) {
    this.network = network;
    this.keep = keep;
    network.getId();
  }

  /**
   * Nothing yet.
   *
   * @param keep whether they outlive the process, which the library calls reuse
   */
  static Containers begin(boolean keep) {
    return new Containers(Network.newNetwork(), keep);
  }

  /**
   * The same in a network whose containers may be given addresses: they need one that was named.
   */
  static Containers beginWithAddresses(boolean keep) {
    String subnet;
    try (Network free = Network.newNetwork()) {
      subnet = ipam(free.getId()).getSubnet();
    }
    return new Containers(
        Network.builder()
            .createNetworkCmdModifier(
                command ->
                    command.withIpam(new Ipam().withConfig(new Ipam.Config().withSubnet(subnet))))
            .build(),
        keep);
  }

  private static Ipam.Config ipam(String network) {
    DockerClient docker = DockerClientFactory.lazyClient();
    return docker.inspectNetworkCmd().withNetworkId(network).exec().getIpam().getConfig().get(0);
  }

  /** The image of a program, as docs/containers.md has it built. */
  static String image(String program) {
    return "mgtm-" + program;
  }

  static boolean isThere(String image) {
    try {
      DockerClientFactory.lazyClient().inspectImageCmd(image).exec();
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }

  /** One outside of the network. */
  static GenericContainer<?> plain(String image) {
    return new GenericContainer<>(DockerImageName.parse(image)).withImagePullPolicy(name -> false);
  }

  /** One in the network, reached by others by its name. */
  GenericContainer<?> container(String image, String name) {
    return plain(image).withReuse(keep).withNetwork(network).withNetworkAliases(name);
  }

  /** What a container of that name keeps is in a volume, which outlives the container. */
  Bind data(String name) {
    String volume = "mgtm-" + network.getId().substring(0, ID_LENGTH) + "-" + name;
    if (!volumes.contains(volume)) {
      docker.createVolumeCmd().withName(volume).exec();
      volumes.add(volume);
    }
    return new Bind(volume, new Volume(DATA));
  }

  /** The network's first three numbers and a dot; it has room for 254 more addresses. */
  String addresses() {
    String subnet = ipam(network.getId()).getSubnet();
    return subnet.substring(0, subnet.lastIndexOf('.') + 1);
  }

  void kill(GenericContainer<?> container) {
    docker.killContainerCmd(container.getContainerId()).exec();
  }

  /** By SIGTERM, and waits for its end. */
  void stop(GenericContainer<?> container) {
    docker.stopContainerCmd(container.getContainerId()).withTimeout(STOP_S).exec();
  }

  /** One that has ended. */
  void start(GenericContainer<?> container) {
    docker.startContainerCmd(container.getContainerId()).exec();
  }

  void pause(GenericContainer<?> container) {
    docker.pauseContainerCmd(container.getContainerId()).exec();
  }

  void resume(GenericContainer<?> container) {
    docker.unpauseContainerCmd(container.getContainerId()).exec();
  }

  /** What a command says that is run in a container, also of what went wrong. */
  String output(GenericContainer<?> container, String... command) {
    try {
      ExecResult result = container.execInContainer(command);
      return result.getStdout() + result.getStderr();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Takes what room there is on the disk of a container by a file. */
  void fillDisk(GenericContainer<?> container, String file) {
    assertThat(output(container, "sh", "-c", "cat /dev/zero >" + file)).contains("No space left");
  }

  /** Removes such a file. */
  void emptyDisk(GenericContainer<?> container, String file) {
    assertThat(output(container, "rm", file)).isEmpty();
  }

  /** Whether all stay as they are. */
  boolean kept() {
    return keep;
  }

  /** Removes network and volumes, once the containers are closed. */
  @Override
  public void close() {
    network.close();
    volumes.forEach(volume -> docker.removeVolumeCmd(volume).exec());
  }
}
