package io.mgtm.block.volume;

import java.util.List;
import java.util.Locale;

/**
 * What a primary wants the cluster to note before it answers anything that some copies lack. The
 * same question is not asked twice: whenever other copies are lost, it is another with another
 * generation.
 *
 * @param generation the generation that begins once it is noted
 * @param lost the links to the copies that are left behind
 * @param inSync the links to those that have everything, and will
 */
public record FenceRequest(long generation, List<String> lost, List<String> inSync) {
  /** Keeps unchangeable copies. */
  public FenceRequest {
    lost = List.copyOf(lost);
    inSync = List.copyOf(inSync);
  }

  /** What names this question, and no other: the generation as the status shows it. */
  public String token() {
    return String.format(Locale.ROOT, "%016x", generation);
  }
}
