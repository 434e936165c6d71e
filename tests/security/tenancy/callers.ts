import { tokenIssuer } from '@sluice/testkit';
import { call } from '../../harness/api';
import type { Project } from '../../harness/project';
import type { Stack } from '../../harness/stack';

/** Callers whose status depends on the endpoint, in the order of the columns of the table. */
export const columns = ['full', 'frontend', 'read', 'write', 'search', 'foreign', 'admin', 'token', 'other'] as const;
export type Column = (typeof columns)[number];

/** Callers that no endpoint lets in. */
export const strangers = ['none', 'garbage', 'revoked', 'expired', 'unsigned'] as const;
type Stranger = (typeof strangers)[number];

/** The headers that each of them sends. */
export type Credentials = Readonly<Record<Column | Stranger, Readonly<Record<string, string>>>>;

export interface CallersOptions {
  /** Whose ids stand in the requests. */
  readonly project: Project;
  /** Key of another project. */
  readonly foreignKey: string;
  /** The group whose ids stand in the requests, and another one of the same project. */
  readonly groupRef: string;
  readonly otherGroupRef: string;
}

export async function createCallers(stack: Stack, options: CallersOptions): Promise<Credentials> {
  const { project, foreignKey, groupRef, otherGroupRef } = options;
  const issuer = tokenIssuer();
  const { key } = project;
  const registered = { label: 'tenancy', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
  const { kid } = await call<{ kid: string }>(`${project.url}/jwt-keys`, { key, body: registered });
  const tokenOf = (group: string, more: object = {}) => {
    const token = issuer.issue(kid, { groupRef: group, consumerRef: `${group}-user`, ...more });
    return { authorization: `Bearer ${token}` };
  };
  const keyWith = async (scope: 'frontend' | 'read' | 'write' | 'search') => ({
    'x-api-key': await project.createKey([scope]),
  });
  const now = Math.floor(Date.now() / 1_000);
  return {
    full: { 'x-api-key': key },
    frontend: await keyWith('frontend'),
    read: await keyWith('read'),
    write: await keyWith('write'),
    search: await keyWith('search'),
    foreign: { 'x-api-key': foreignKey },
    admin: { 'x-api-key': stack.adminKey },
    token: tokenOf(groupRef),
    other: tokenOf(otherGroupRef),
    none: {},
    garbage: { 'x-api-key': 'sk_garbage' },
    revoked: { 'x-api-key': await revokedKey(project) },
    expired: tokenOf(groupRef, { iat: now - 300, exp: now - 60 }),
    unsigned: { authorization: `${tokenOf(groupRef).authorization.replace(/[^.]+$/, '')}AAAA` },
  };
}

async function revokedKey({ url, key }: Project): Promise<string> {
  const made = await call<{ id: string; key: string }>(`${url}/api-keys`, { key, body: { label: 'revoked' } });
  await call(`${url}/api-keys/${made.id}`, { method: 'DELETE', key });
  return made.key;
}
