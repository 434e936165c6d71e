interface AuthorOptions {
  /** Absent for what is older than the note of it. */
  readonly createdBy?: string | undefined;
  readonly createdByLabel?: string | undefined;
}

/** Who made something: the label of a key, or what is known of who has none. */
export function Author({ createdBy, createdByLabel }: AuthorOptions) {
  if (createdBy === undefined) return <span class="fine">not known</span>;
  if (createdByLabel !== undefined) return <span title={createdBy}>{createdByLabel}</span>;
  if (createdBy === 'builder:admin') return <span>the bootstrap key</span>;
  return <span title={createdBy}>{createdBy.replace(/^builder:/, '')}</span>;
}
