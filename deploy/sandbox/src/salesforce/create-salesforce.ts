import { createHash } from 'node:crypto';
import type { CallLimits, ImitatedAccount, ImitatedProvider, WireReply } from '../control/imitated-provider';
import { DAILY_CALLS } from './api-usage';
import { SalesforceError, errorReply, textReply } from './wire-reply';
import { usernameOf, newTokens, tokenRefusal } from './token-replies';
import { callKind, carriedFields } from './match-route';
import { idOf, RecordIds } from './record-ids';
import { SalesforceAccount, type OrgIdentity } from './salesforce-account';

/** The default session of an org. Source: docs/contributing/providers.md, B1. */
const SESSION_SECONDS = 7200;

/** Salesforce limits neither bursts nor searches, but calls that last. Source: docs/contributing/providers.md, B7: 25 at once of 20 s or more. */
const limits: CallLimits = {
  perTenSeconds: 0,
  searchesPerSecond: 0,
  perDay: DAILY_CALLS,
  countRefused: false,
  concurrentLong: 25,
  longAfterMs: 20_000,
};

/** Imitates Salesforce: every account is an org of its own. Ids of records are unique over all of them. */
export function createSalesforce(): ImitatedProvider {
  const ids = new RecordIds();
  const identities = new Map<string, OrgIdentity>();
  const opened = new Map<ImitatedAccount, OrgIdentity>();
  return {
    name: 'salesforce',
    segments: ['services', 'id'],
    oauth: {
      tokenPaths: ['/services/oauth2/token'],
      authorizePath: '/services/oauth2/authorize',
      revokePath: '/services/oauth2/revoke',
      usernameOf,
      hasClientCredentials: true,
      lifetimeSeconds: SESSION_SECONDS,
    },
    defaultLimits: limits,
    markerField: 'LastName',
    openAccount(name) {
      const org = identities.get(name) ?? identityOf(name, [...identities.values()]);
      identities.set(name, org);
      const account = new SalesforceAccount(org, ids);
      opened.set(account, org);
      return account;
    },
    newTokens(account, name, serial) {
      const org = opened.get(account);
      if (!org) throw new Error(`the account ${name} is not one of Salesforce`);
      return newTokens(org, name, serial);
    },
    callKind,
    carriedFields,
    refuseBearer: (_reason, _now, { path }) => refuseSession(path),
    refuseTokenRequest: tokenRefusal,
  };
}

/** Userinfo is no part of the API: it answers with a word, not with JSON. */
function refuseSession(path: string): WireReply {
  if (path === '/services/oauth2/userinfo') return textReply(403, 'Bad_OAuth_Token');
  return errorReply(new SalesforceError(401, { code: 'INVALID_SESSION_ID', message: 'Session expired or invalid' }));
}

/** Derived from the name; the next free number when another org has it. Below the numbers of records. */
function identityOf(name: string, others: readonly OrgIdentity[]): OrgIdentity {
  const digest = createHash('sha256').update(name).digest();
  let number = digest.readUInt32BE(0) % 1_000_000_000;
  while (others.some(({ orgId }) => orgId === idOf('00D', number))) number += 1;
  return { name, orgId: idOf('00D', number), userId: idOf('005', number), workspaceRef: domainOf(name, digest) };
}

/** A My Domain label: lower case letters, digits and hyphens. A name that is changed by that gets a mark of its own. */
function domainOf(name: string, digest: Buffer): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 30);
  return label === name ? label : `${label}-${digest.toString('hex', 4, 7)}`;
}
