/**
 * A stored record. Never changed in place: an update replaces it, so that the search index may keep old states.
 * `properties` holds only what was written and is set; computed properties are added when it is shown.
 */
export interface CrmRecord {
  readonly id: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set while the record is archived: reads and searches do not see it. */
  readonly archivedAt?: Date;
  /** Id of the record that this one was merged into; such a record is archived as well. */
  readonly mergedInto?: string;
}
