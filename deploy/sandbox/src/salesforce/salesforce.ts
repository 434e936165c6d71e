import { digest } from '../control/derived';
import type {
  CallKind,
  ImitatedAccount,
  ImitatedProvider,
  ReceivedCall,
  WireReply,
} from '../control/imitated-provider';
import { carriedRecords, countRecords } from '../crm/json-body';
import { findEndpoint } from './endpoints';
import { errorReply, invalidSession, SalesforceError, textReply } from './errors';
import { usernameOf, type OrgIdentity } from './org-data';
import { idOf, recordIds } from './record-ids';
import { DAILY_CALLS, SalesforceAccount } from './salesforce-account';
import { newTokens, tokenRefusal } from './tokens';

/** The default session of an org. Source: docs/contributing/providers.md, B1. */
const SESSION_SECONDS = 7200;

/** Salesforce limits neither bursts nor searches, but calls that last. Source: docs/contributing/providers.md, B7: 25 at once of 20 s or more. */
const limits = { perDay: DAILY_CALLS, concurrentLong: 25 };

/** Imitates Salesforce: every account is an org of its own. Ids of records are unique over all of them. */
export function createSalesforce(): ImitatedProvider {
  const ids = recordIds();
  const orgIds = new Set<string>();
  return {
    name: 'salesforce',
    segments: ['services', 'id'],
    oauth: {
      tokenPaths: ['/services/oauth2/token'],
      authorizePath: '/services/oauth2/authorize',
      usernameOf,
      hasClientCredentials: true,
      lifetimeSeconds: SESSION_SECONDS,
    },
    defaultLimits: limits,
    markerField: 'LastName',
    openAccount: (name) => new SalesforceAccount(newIdentity(name, orgIds), ids),
    newTokens: (account, name, serial) => newTokens(orgOf(account), name, serial),
    callKind,
    carriedFields: ({ bodyText }) => carriedRecords(bodyText, 'records'),
    refuseBearer: (_reason, _now, { path }) => refuseSession(path),
    refuseTokenRequest: tokenRefusal,
  };
}

function orgOf(account: ImitatedAccount): OrgIdentity {
  if (account instanceof SalesforceAccount) return account.org;
  throw new TypeError('The account is not one of Salesforce');
}

function callKind(call: ReceivedCall): CallKind {
  const endpoint = findEndpoint(call)?.endpoint;
  const headers = chosenHeaders(call.headers);
  const noted = Object.keys(headers).length > 0 ? { headers } : {};
  return { action: endpoint?.name ?? 'unknown', records: countRecords(endpoint?.carries ?? 'none', call), ...noted };
}

/** Headers of transport, credentials and tracing: every client sends them by itself. */
const usualHeader =
  /^(accept.*|authorization|cache-control|connection|content-.*|cookie|expect|host|pragma|priority|proxy-.*|sec-.*|te|trace.*|transfer-encoding|upgrade.*|user-agent)$/;

/** The other headers: `sforce-auto-assign`, `if-modified-since`, … */
function chosenHeaders(headers: ReceivedCall['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !usualHeader.test(name)));
}

/** Userinfo is no part of the API: it answers with plain text, not with JSON. */
function refuseSession(path: string): WireReply {
  if (path === '/services/oauth2/userinfo') return textReply(403, 'Bad_OAuth_Token');
  return errorReply(new SalesforceError(401, invalidSession));
}

/** Derived from the name; the next free number when another org has it. Below the numbers of records. */
function newIdentity(name: string, taken: Set<string>): OrgIdentity {
  const hash = digest(name);
  let number = hash.readUInt32BE(0) % 1_000_000_000;
  while (taken.has(idOf('00D', number))) number += 1;
  const orgId = idOf('00D', number);
  taken.add(orgId);
  return { name, orgId, userId: idOf('005', number), workspaceRef: domainOf(name, hash) };
}

/** A My Domain label: lower case letters, digits and hyphens. A name that is changed by that gets a suffix of its own. */
function domainOf(name: string, hash: Buffer): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 30);
  return label === name ? label : `${label}-${hash.toString('hex', 4, 7)}`;
}
