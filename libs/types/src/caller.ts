/**
 * Scopes of an API key. `full` may do everything in its project; `frontend` everything of management except keys,
 * provider apps and credentials; `write` and `search` their base URL (`write` also reads operations); `read` the
 * management GETs. Spec is silent; see rulings.
 */
export const scopes = ['full', 'frontend', 'write', 'search', 'read'] as const;
export type Scope = (typeof scopes)[number];

/** Who sent a request. An `admin` caller (the bootstrap key) has no project. */
export interface Caller {
  readonly kind: 'api-key' | 'admin';
  /** Public id of the key; shown in logs and `createdBy`. */
  readonly keyId: string;
  readonly projectId?: string;
  readonly scopes: readonly string[];
}
