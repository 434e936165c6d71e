/** A link to another record as it was sent at creation. The sandbox keeps it and does not check its target. */
export interface StoredAssociation {
  readonly to: { readonly id: string };
  readonly types: readonly { readonly associationCategory: string; readonly associationTypeId: number }[];
}

/**
 * A stored contact. Never changed in place: an update replaces it, so that the search index may keep old states.
 * `properties` holds only what was written and is set; computed properties are added when it is shown.
 */
export interface Contact {
  readonly id: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly associations?: readonly StoredAssociation[];
}
