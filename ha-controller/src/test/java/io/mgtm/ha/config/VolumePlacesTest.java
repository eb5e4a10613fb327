package io.mgtm.ha.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.ConfigException;
import io.mgtm.ha.kit.ResourceCheck;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumePlacesTest {
  private static final String FILE =
      """
      cluster: shop
      secretFile: /etc/mgtm/ha.secret
      nodes:
        db1: {addresses: [10.0.0.1, 10.1.0.1]}
        db2: {addresses: [10.0.0.2, 10.1.0.2]}
        w: {addresses: [10.0.0.3, 10.1.0.3], witness: true}
      hierarchies:
        shop:
          nodes: [db1, db2]
          resources:
            address: {kit: ip, parameters: {address: 10.0.0.100/24, device: eth0}}
            disk:
              kit: volume
              parameters: {file: /var/lib/v, copies: "db1=10.0.0.1:7800, db2=10.0.0.2:7800"}
            data: {kit: filesystem, on: [disk], parameters: {mount: /srv}}
      """;

  private static List<String> warnings(String text) throws ConfigException {
    return VolumePlaces.warnings(ClusterFile.parse("f", text, ResourceCheck.NONE).config());
  }

  @ParameterizedTest
  @CsvSource({
    "file: /srv/v, file",
    "file: /srv, file",
    "file: /a/../srv/v, file",
    "'file: /v, meta: /srv/m', meta"
  })
  void nothingOfAVolumeLiesUnderItsOwnMount(String parameters, String which) {
    assertThatThrownBy(
            () ->
                ClusterFile.parse(
                    "f", FILE.replace("file: /var/lib/v", parameters), ResourceCheck.NONE))
        .hasMessageContaining("disk.parameters." + which + ": ")
        .hasMessageContaining("is under /srv, where this hierarchy mounts a file system");
  }

  @Test
  void copiesOnTheNetworkOfTheAddressAreWarnedOfWhereThereIsAnother() throws ConfigException {
    assertThat(warnings(FILE))
        .singleElement()
        .asString()
        .startsWith(
            "hierarchies.shop.resources.disk: its copies speak on the network of 10.0.0.100/24");
    assertThat(warnings(FILE.replace("=10.0.0.", "=10.1.0."))).isEmpty();
    assertThat(warnings(FILE.replaceAll(", 10\\.1\\.0\\.\\d", ""))).isEmpty();
    assertThat(warnings(FILE.replace("10.0.0.100/24", "10.0.0.100/33"))).isEmpty();
    assertThat(warnings(FILE.replace("=10.0.0.1:", "=[fd00::1]:"))).isEmpty();
    assertThat(warnings(FILE.replace("db1=10.0.0.1:", "db1=rdma:10.0.0.1:"))).hasSize(1);
  }
}
