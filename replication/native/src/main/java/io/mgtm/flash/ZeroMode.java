package io.mgtm.flash;

/** How a range is made zero. */
public enum ZeroMode {
  /** The space stays reserved; zeros are written when the file system has no quicker way. */
  ALLOCATE(false, false),
  /** The space may be given back; zeros are written when there is no quicker way. */
  UNMAP(true, false),
  /** As {@link #ALLOCATE}, but fails with EOPNOTSUPP rather than write zeros. */
  ALLOCATE_FAST(false, true),
  /** As {@link #UNMAP}, but fails with EOPNOTSUPP rather than write zeros. */
  UNMAP_FAST(true, true);

  private final boolean unmaps;
  private final boolean fastOnly;

  ZeroMode(boolean unmaps, boolean fastOnly) {
    this.unmaps = unmaps;
    this.fastOnly = fastOnly;
  }

  /** Whether the space may be given back. */
  public boolean unmaps() {
    return unmaps;
  }

  /** Whether writing zeros is not wanted. */
  public boolean fastOnly() {
    return fastOnly;
  }
}
