package io.mgtm.gtm.cli;

import io.mgtm.common.Cli;
import io.mgtm.group.GroupMode;
import java.util.Arrays;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;

/** What {@code --mode} takes. */
public final class Modes implements Iterable<String>, ITypeConverter<GroupMode> {
  @Override
  public Iterator<String> iterator() {
    return Arrays.stream(GroupMode.values()).map(GroupMode::label).iterator();
  }

  @Override
  public GroupMode convert(String text) {
    return Cli.value(text, GroupMode::of);
  }
}
