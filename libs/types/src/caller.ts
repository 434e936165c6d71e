/**
 * Scopes of an API key. `full` may do everything in its project. `frontend` may use all of management except keys, provider apps and credentials.
 * `write` and `search` may use their base URL; `write` also reads operations. `read` may use the management GETs. Spec is silent; see rulings.
 */
export const scopes = ['full', 'frontend', 'write', 'search', 'read'] as const;
export type Scope = (typeof scopes)[number];

/**
 * Who an endpoint is for: keys with a scope, `admin` (the bootstrap key), `token` (a bearer token, limited to its
 * group). An endpoint that does not name them lets neither of the last two pass.
 */
export type Admission = Scope | 'admin' | 'token';

/** Who sent a request. An `admin` caller (the bootstrap key) has no project, and neither has a person, who may enter each. */
export interface Caller {
  /** `person`: signed in to the console with OpenID Connect; known to the management service alone. */
  readonly kind: 'api-key' | 'admin' | 'token' | 'person';
  /** Public id of the key; of a token the key it was signed with (`kid`); of a person the id that we keep for it. Shown in logs. */
  readonly keyId: string;
  readonly projectId?: string;
  /** Of an API key; of a person what its role gives; else empty. */
  readonly scopes: readonly string[];
  /** The one group of a token; absent: every group of the project. */
  readonly groupRef?: string;
  /** The user of a token. */
  readonly consumerRef?: string;
  /** Of a person: who it is at the OpenID provider, whatever it calls itself there. */
  readonly account?: { readonly issuer: string; readonly subject: string };
}

/** Whether the caller may see and change what belongs to this group. What belongs to none is not for tokens. */
export function seesGroup(caller: Caller, groupRef: string | undefined): boolean {
  return caller.kind !== 'token' || (groupRef !== undefined && groupRef === caller.groupRef);
}

/**
 * `createdBy` of what the caller changes. A backend may name another author. A token speaks for its own user, a person for itself. Source:
 * specification, Config: `consumer:<id>` or `builder:<id>`.
 */
export function authorOf(caller: Caller, asked?: string): string {
  if (caller.kind === 'token') return `consumer:${caller.consumerRef}`;
  return (caller.kind === 'person' ? undefined : asked) ?? `builder:${caller.keyId}`;
}

/** What the caller may use, for lookups by name: an admin no project, a token its group, others their whole project. */
export function reachOf(caller: Caller): { readonly withinProjectId: string; readonly withinGroupRef?: string } {
  const { projectId = '', groupRef } = caller;
  return { withinProjectId: projectId, ...(groupRef === undefined ? {} : { withinGroupRef: groupRef }) };
}
