package io.mgtm.group.total;

import io.mgtm.group.core.MemberId;

/** Tables of mode total with a mistake, for simulations. */
public final class PlantedTotal {
  private PlantedTotal() {}

  /** A proposal that was sent again is applied again. */
  public static OriginTable forgetsNumbers() {
    return new OriginTable() {
      @Override
      public Verdict check(MemberId from, long incarnation, long number) {
        Verdict verdict = super.check(from, incarnation, number);
        return verdict == Verdict.REPEAT ? Verdict.NEXT : verdict;
      }
    };
  }

  /** The checkpoint does not say what was applied of whom. */
  public static OriginTable leavesNothingBehind() {
    return new OriginTable() {
      @Override
      public byte[] encoded() {
        return new OriginTable().encoded();
      }
    };
  }
}
