import type {
  AccountChange,
  CallContext,
  ImitatedAccount,
  InputRefusal,
  IssuedTokens,
  QuotaPolicy,
  ReceivedCall,
  ShownRecord,
  WireReply,
} from '../control/imitated-provider';
import { ApiUsage, DAILY_CALLS } from './api-usage';
import { SalesforceError, type Problem, errorReply, statusReply, notFound, emptyReply, jsonReply } from './wire-reply';
import { findObject, objectDefinitions } from './object-definitions';
import type { Org } from './org';
import { QueryCursors } from './query-cursors';
import { type RecordIds, toLongId } from './record-ids';
import { RecordStore } from './record-store';
import { setValues, type StoredRecord } from './record-values';
import { tokenReply, usernameOf } from './token-replies';
import { carriedFields, matchRoute, methodOf, type RouteMatch } from './match-route';
import { member } from './request-body';
import { readVersion } from './api-versions';

/** What names an org; the same on every run. */
export interface OrgIdentity {
  readonly name: string;
  readonly orgId: string;
  readonly userId: string;
  readonly workspaceRef: string;
}

/** How an org says that a limit is reached; both are 403. Source: docs/contributing/providers.md, B7. */
const overLimit: Readonly<Record<QuotaPolicy, Problem>> = {
  daily: { code: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' },
  burst: {
    code: 'REQUEST_LIMIT_EXCEEDED',
    message: 'ConcurrentRequests (Concurrent API Requests) Limit exceeded.',
  },
};

/** Calls that do not count against the limit of the org: they are not API requests. */
const uncounted = /^\/(services\/oauth2|id)\//;

/** One imitated org. */
export class SalesforceAccount implements ImitatedAccount {
  private store: RecordStore;
  private cursors = new QueryCursors();
  private usage = new ApiUsage();

  constructor(
    private readonly org: OrgIdentity,
    private readonly ids: RecordIds,
  ) {
    this.store = filledStore(org, ids);
  }

  get identity() {
    const { orgId, userId, workspaceRef } = this.org;
    return { orgId, userId, workspaceRef };
  }

  admit(call: ReceivedCall, { now, settings, longCalls }: CallContext): WireReply | undefined {
    if (uncounted.test(call.path)) return undefined;
    const { perDay, countRefused, concurrentLong } = settings.limits;
    if (concurrentLong > 0 && longCalls >= concurrentLong) {
      return errorReply(new SalesforceError(403, overLimit.burst), this.limitHeader(now, perDay));
    }
    const isOver = perDay > 0 && this.usage.used(now) >= perDay;
    if (!isOver || countRefused) this.usage.add(now);
    if (!isOver) return undefined;
    return errorReply(new SalesforceError(403, overLimit.daily), this.limitHeader(now, perDay));
  }

  answer(call: ReceivedCall, { now, settings, refusals }: CallContext): WireReply {
    const { perDay } = settings.limits;
    const usage = (at: Date) => ({ used: this.usage.used(at), limit: perDay || DAILY_CALLS });
    const org: Org = { ...this.org, store: this.store, cursors: this.cursors, usage };
    const headers = uncounted.test(call.path) ? {} : this.limitHeader(now, perDay);
    return answerCall(org, call, { now, refusals, headers });
  }

  lockedRows(call: ReceivedCall): readonly (readonly string[])[] {
    return lockedRows(this.store, call);
  }

  lockRefusal(row: string): InputRefusal {
    const message = `unable to obtain exclusive access to this record or 1 records: ${row}`;
    return { code: 'UNABLE_TO_LOCK_ROW', message, named: true };
  }

  without(reply: WireReply, inputs: readonly number[]): WireReply {
    const body = JSON.parse(reply.payload || 'null') as unknown;
    if (!Array.isArray(body)) return reply;
    return { ...reply, payload: JSON.stringify(body.filter((_, index) => !inputs.includes(index))) };
  }

  statusReply(status: number): WireReply {
    return statusReply(status);
  }

  quotaReply(policy: QuotaPolicy): WireReply {
    return errorReply(new SalesforceError(403, overLimit[policy]));
  }

  tokenReply(tokens: IssuedTokens, call: ReceivedCall, now: Date): WireReply {
    return tokenReply(this.org, tokens, call, now);
  }

  takeChanges(): readonly AccountChange[] {
    return this.store.takeChanges().map((record) => ({ recordId: record.id, record }));
  }

  fieldsOf({ record }: AccountChange): Readonly<Record<string, unknown>> {
    return (record as StoredRecord | undefined)?.fields ?? {};
  }

  restore(change: AccountChange): void {
    this.store.restore(change.record as StoredRecord);
  }

  clear(): void {
    this.store = filledStore(this.org, this.ids);
    this.cursors = new QueryCursors();
    this.usage = new ApiUsage();
  }

  objects(): readonly string[] {
    return objectDefinitions.filter((object) => object.isWritable).map((object) => object.name);
  }

  count(object: string): number {
    const found = findObject(object);
    return found ? this.store.all(found.name).filter((record) => !record.isDeleted).length : 0;
  }

  list(object: string, latest = Infinity): readonly ShownRecord[] | undefined {
    const found = findObject(object);
    if (!found) return undefined;
    const live = this.store.all(found.name).filter((record) => !record.isDeleted);
    return live.slice(-latest).map((record) => {
      const { id, createdAt, updatedAt } = record;
      return { id, createdAt, updatedAt, fields: setValues(record, this.org.userId) };
    });
  }

  /** On every reply of the API. An account whose limit is switched off shows the usual one. */
  private limitHeader(now: Date, perDay: number): Record<string, string> {
    return { 'Sforce-Limit-Info': `api-usage=${this.usage.used(now)}/${perDay || DAILY_CALLS}` };
  }
}

/** A store with what an org has from the beginning: itself and its integration user. */
function filledStore(org: OrgIdentity, ids: RecordIds): RecordStore {
  const store = new RecordStore(ids);
  for (const record of firstRecords(org)) store.restore(record);
  return store;
}

/** When every imitated org was opened. */
const OPENED_AT = '2026-01-01T00:00:00.000Z';

/** What an org has before anything is written to it: itself, and the user that writes. */
function firstRecords(org: { readonly name: string; readonly orgId: string; readonly userId: string }): StoredRecord[] {
  const common = { number: 1, createdAt: OPENED_AT, updatedAt: OPENED_AT, isDeleted: false };
  const email = usernameOf(org.name);
  const person = { LastName: 'User', FirstName: 'Integration', Name: 'Integration User', Alias: 'integ' };
  const organization = { Name: org.name, InstanceName: 'AK0', OrganizationType: 'Developer Edition', IsSandbox: false };
  return [
    { ...common, id: org.orgId, type: 'Organization', fields: organization },
    { ...common, id: org.userId, type: 'User', fields: { ...person, Username: email, Email: email, IsActive: true } },
  ];
}

/** Fields that point to a parent, whose row is locked with its child's. Source: Salesforce's record locking cheat sheet (D). */
const parents = ['AccountId', 'ReportsToId', 'ParentId'];

/** Rows that each record of a write locks: itself, and its parents before and after. None for a read. */
function lockedRows(store: RecordStore, call: ReceivedCall): readonly (readonly string[])[] {
  const found = matchRoute(call);
  if (!found?.route || !/(create|update|upsert|delete)/.test(found.route.name)) return [];
  return carriedFields(call).map((fields) => {
    const id = idIn(member(fields, 'id') ?? found.params.id);
    const current = id === undefined ? undefined : store.find(id);
    const pointed = parents.flatMap((name) => [member(fields, name), current?.fields[name]]);
    return [...new Set([id, ...pointed.map(idIn)].filter((row) => row !== undefined))];
  });
}

const idIn = (value: unknown): string | undefined => (typeof value === 'string' ? toLongId(value) : undefined);

/** What Salesforce answers to an admitted call, with everything that follows from it in the store. */
function answerCall(
  org: Org,
  call: ReceivedCall,
  context: Pick<CallContext, 'now' | 'refusals'> & { readonly headers: Readonly<Record<string, string>> },
): WireReply {
  const { now, refusals, headers } = context;
  try {
    const { params, route } = requireRoute(call);
    const version = params.version === undefined ? '' : readVersion(params.version);
    if (call.bodyText !== '') requireJson(call.contentType);
    const reply = route.perform({ ...call, org, params, version, now, refusals });
    const all = { ...headers, ...reply.headers };
    return reply.body === undefined ? emptyReply(reply.status, all) : jsonReply(reply.status, reply.body, all);
  } catch (error) {
    if (error instanceof SalesforceError) return errorReply(error, headers);
    throw error;
  }
}

function requireRoute(call: ReceivedCall): {
  readonly params: RouteMatch['params'];
  readonly route: NonNullable<RouteMatch['route']>;
} {
  const match = matchRoute(call);
  if (!match) throw notFound();
  const { route, params, allowed } = match;
  if (route) return { route, params };
  const message = `HTTP Method '${methodOf(call)}' not allowed. Allowed are ${allowed.join(',')}`;
  throw new SalesforceError(405, { code: 'METHOD_NOT_ALLOWED', message });
}

function requireJson(contentType: string): void {
  if (/^application\/json\b/i.test(contentType)) return;
  const message = `Content type '${contentType}' is not supported`;
  throw new SalesforceError(415, { code: 'UNSUPPORTED_MEDIA_TYPE', message });
}
