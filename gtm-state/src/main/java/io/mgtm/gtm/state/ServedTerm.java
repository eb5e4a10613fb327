package io.mgtm.gtm.state;

/**
 * In mode lazy: which leader served last, how many of its entries this state has, and whether
 * clients may have seen more of them. The log is a prefix of that leader's, so the term and the
 * count say exactly what is here. Without that mode nothing of it ever changes.
 */
public final class ServedTerm {
  private long term;
  private String member = "";
  private long entries;
  private boolean recovering;

  ServedTerm() {}

  /** As a checkpoint has it. */
  ServedTerm(long term, String member, long entries, boolean recovering) {
    this.term = term;
    this.member = member;
    this.entries = entries;
    this.recovering = recovering;
  }

  /** As it is now. */
  ServedTerm picture() {
    return new ServedTerm(term, member, entries, recovering);
  }

  /** A leader begins to serve; what the one before had given is known, or skipped. */
  void begin(long ofTerm, String byMember) {
    term = ofTerm;
    member = byMember;
    entries = 0;
    recovering = false;
  }

  /** Nobody has served. */
  void clear() {
    begin(0, "");
  }

  /** One more entry of the log, the one that began the term being the first. */
  void count() {
    if (term != 0) {
      entries++;
    }
  }

  /** Entries may be missing from here on; of no effect when nobody ever served. */
  void recover() {
    recovering = term != 0;
  }

  /** Of that leader; 0 when none has served. */
  public long term() {
    return term;
  }

  public String member() {
    return member;
  }

  /** How many of its entries this state has. */
  public long entries() {
    return entries;
  }

  /** Whether clients may have seen the effect of more of them. */
  public boolean recovering() {
    return recovering;
  }
}
