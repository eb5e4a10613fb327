package io.mgtm.gtm.config;

/** How a group replicates; docs/replication.md says what each promises. */
public enum GroupMode {
  /** One leader a term sends its entries in order; a majority has what is acknowledged. */
  FIFO
}
