import type {
  CallContext,
  ImitatedAccount,
  InputRefusal,
  IssuedTokens,
  QuotaPolicy,
  ReceivedCall,
  WireReply,
} from '../control/imitated-provider';
import { isJson, replyTo, type ApiReply } from '../crm/api-call';
import { carriedRecords } from '../crm/json-body';
import type { RecordIds } from '../crm/record-store';
import { findEndpoint, getEndpoint } from './endpoints';
import { errorReply, jsonReply, overLimit, SalesforceError, statusReply } from './errors';
import { readVersion } from './metadata';
import { OrgData, type OrgIdentity } from './org-data';
import { toLongId } from './record-ids';
import { member } from './request-body';
import { tokenReply } from './tokens';

/** Calls in any 24 hours of an Enterprise org with one licence. Source: docs/contributing/providers.md, B7. */
export const DAILY_CALLS = 101_000;

/** Calls that do not count against the limit of the org: they are not API requests. */
const uncounted = /^\/(services\/oauth2|id)\//;

/** One imitated org. */
export class SalesforceAccount implements ImitatedAccount {
  readonly identity: { readonly orgId: string; readonly userId: string; readonly workspaceRef: string };
  readonly data: OrgData;
  private usage = new ApiUsage();

  constructor(
    readonly org: OrgIdentity,
    ids: RecordIds,
  ) {
    const { orgId, userId, workspaceRef } = org;
    this.identity = { orgId, userId, workspaceRef };
    this.data = new OrgData(org, ids);
  }

  admit(call: ReceivedCall, { now, settings, longCalls }: CallContext): WireReply | undefined {
    if (uncounted.test(call.path)) return undefined;
    const { perDay, concurrentLong } = settings.limits;
    if (concurrentLong > 0 && longCalls >= concurrentLong) {
      return errorReply(new SalesforceError(403, overLimit.burst), this.limitHeader(now, perDay));
    }
    const isOver = perDay > 0 && this.usage.used(now) >= perDay;
    if (!isOver) this.usage.add(now);
    return isOver ? errorReply(new SalesforceError(403, overLimit.daily), this.limitHeader(now, perDay)) : undefined;
  }

  answer(call: ReceivedCall, context: CallContext): WireReply {
    const { now, settings } = context;
    const headers = uncounted.test(call.path) ? {} : this.limitHeader(now, settings.limits.perDay);
    return replyTo(() => this.perform(call, context), jsonReply, headers);
  }

  /** Each record of a write locks itself, and its parents before and after. A read locks nothing. */
  lockedRows(call: ReceivedCall): readonly (readonly string[])[] {
    const found = findEndpoint(call);
    if (!found || !/(create|update|upsert|delete)/.test(found.endpoint.name)) return [];
    return carriedRecords(call.bodyText, 'records').map((fields) => {
      const id = idIn(member(fields, 'id') ?? found.params.id);
      const current = id === undefined ? undefined : this.data.find(id);
      const pointed = parents.flatMap((name) => [member(fields, name), current?.fields[name]]);
      return [...new Set([id, ...pointed.map(idIn)].filter((row) => row !== undefined))];
    });
  }

  lockRefusal(row: string): InputRefusal {
    const message = `unable to obtain exclusive access to this record or 1 records: ${row}`;
    return { code: 'UNABLE_TO_LOCK_ROW', message };
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

  clear(): void {
    this.data.clear();
    this.usage = new ApiUsage();
  }

  private perform(call: ReceivedCall, { now, refusals, settings }: CallContext): ApiReply {
    const { endpoint, params } = getEndpoint(call);
    const version = params.version === undefined ? '' : readVersion(params.version);
    if (call.bodyText !== '' && !isJson(call.contentType)) {
      const message = `Content type '${call.contentType}' is not supported`;
      throw new SalesforceError(415, { code: 'UNSUPPORTED_MEDIA_TYPE', message });
    }
    const { org, data } = this;
    const { auditFields = false, myDomain: workspaceRef = this.org.workspaceRef } = settings;
    return endpoint.perform({
      ...call,
      org: { ...org, workspaceRef },
      data,
      params,
      version,
      auditFields,
      now,
      refusals,
    });
  }

  /** On every reply of the API. An account whose limit is switched off shows the usual one. */
  private limitHeader(now: Date, perDay: number): Record<string, string> {
    return { 'Sforce-Limit-Info': `api-usage=${this.usage.used(now)}/${perDay || DAILY_CALLS}` };
  }
}

/** Fields that point to a parent, whose row is locked with its child's. Source: Salesforce's record locking cheat sheet (D). */
const parents = ['AccountId', 'ReportsToId', 'ParentId'];

const idIn = (value: unknown): string | undefined => (typeof value === 'string' ? toLongId(value) : undefined);

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** Calls in the last 24 hours, counted by the hour, as the limit of an org rolls. */
class ApiUsage {
  private readonly byHour = new Map<number, number>();

  add(now: Date): void {
    const hour = hourOf(now);
    this.byHour.set(hour, (this.byHour.get(hour) ?? 0) + 1);
  }

  used(now: Date): number {
    const oldest = hourOf(now) - HOURS;
    let sum = 0;
    for (const [hour, count] of this.byHour) {
      if (hour <= oldest) this.byHour.delete(hour);
      else sum += count;
    }
    return sum;
  }
}

const hourOf = (moment: Date): number => Math.floor(moment.getTime() / HOUR_MS);
