package io.mgtm.gtm.node;

import io.mgtm.gtm.config.AccessConfig;
import io.mgtm.gtm.config.GroupConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import java.nio.file.Path;

/** The defaults without metrics, for one thread, but for what a test is about. */
public final class TestConfigs {
  private static final GtmConfig D = GtmConfig.DEFAULTS;

  private TestConfigs() {}

  public static GtmConfig with(GroupConfig group) {
    return with(D.data(), group, D.links(), D.access());
  }

  public static GtmConfig with(Path data, LinksConfig links, AccessConfig access) {
    return with(data, D.group(), links, access);
  }

  private static GtmConfig with(
      Path data, GroupConfig group, LinksConfig links, AccessConfig access) {
    return new GtmConfig(
        data,
        D.listen(),
        null,
        D.durability(),
        1,
        D.log(),
        D.gxid(),
        D.limits(),
        D.timeouts(),
        group,
        links,
        access);
  }
}
