import { digest, UnevenNumbers } from '../control/derived';
import type {
  CallContext,
  CallKind,
  ImitatedAccount,
  ImitatedProvider,
  IssuedTokens,
  QuotaPolicy,
  ReceivedCall,
  WireReply,
} from '../control/imitated-provider';
import { type ApiReply, isJson, replyTo } from '../crm/api-call';
import { carriedRecords, countRecords, isObject } from '../crm/json-body';
import type { RecordIds } from '../crm/record-store';
import { findEndpoint, type FoundCall } from './endpoints';
import {
  edgeReply,
  errorReply,
  expiredAuthentication,
  HubspotError,
  invalidAuthentication,
  jsonReply,
  overLimit,
  statusReply,
} from './errors';
import { PortalData } from './portal-data';
import { defaultRateLimits, RateLimiter } from './rate-limit';
import { newTokens, tokenRefusal, tokenReply } from './tokens';

/** An imitated HubSpot. Ids of records are distinct over all its accounts. */
export function createHubspot(): ImitatedProvider {
  const ids = recordIds();
  const portalIds = new Set<number>();
  return {
    name: 'hubspot',
    segments: ['crm', 'crm-object-schemas', 'account-info', 'oauth'],
    oauth: {
      tokenPaths: ['/oauth/2026-03/token', '/oauth/v1/token'],
      endsAt: { '/oauth/v1/token': '2027-02-16' },
      authorizePath: '/oauth/authorize',
      lifetimeSeconds: 1800,
    },
    defaultLimits: defaultRateLimits,
    markerField: 'lastname',
    openAccount: (name) => new Portal(newPortalId(name, portalIds), ids),
    newTokens: (_account, name, serial) => newTokens(name, serial),
    callKind,
    carriedFields,
    refuseBearer: (reason, now) =>
      errorReply(reason === 'unknown' ? invalidAuthentication() : expiredAuthentication(reason.expiredAt, now)),
    refuseTokenRequest: tokenRefusal,
  };
}

/** Ids of new contacts in HubSpot today have twelve digits and begin about here. */
const FIRST_ID = 171_590_000_000;

/** Decimal strings, growing, with uneven gaps. */
function recordIds(): RecordIds {
  const numbers = new UnevenNumbers(FIRST_ID);
  return { next: () => String(numbers.next()), skipPast: (id) => numbers.skipPast(Number(id)) };
}

function callKind(call: ReceivedCall): CallKind {
  const endpoint = findEndpoint(call.method, call.path)?.endpoint;
  if (!endpoint) return { action: 'unknown', records: 0 };
  return { action: endpoint.name, records: countRecords(endpoint.carries, call) };
}

/** `properties` of each input of a batch, or of the one record. */
function carriedFields({ bodyText }: ReceivedCall) {
  return carriedRecords(bodyText, 'inputs').map(({ properties }) => (isObject(properties) ? properties : {}));
}

/** Eight digits, as HubSpot's. Derived from the name, the next free one when another account has it. */
function newPortalId(name: string, taken: Set<number>): number {
  let id = 10_000_000 + (digest(name).readUInt32BE(0) % 80_000_000);
  while (taken.has(id)) id += 1;
  taken.add(id);
  return id;
}

/** One HubSpot account. */
export class Portal implements ImitatedAccount {
  readonly identity: { readonly portalId: number; readonly workspaceRef: string };
  readonly data: PortalData;
  private limiter: RateLimiter;

  constructor(
    readonly portalId: number,
    ids: RecordIds,
  ) {
    this.identity = { portalId, workspaceRef: String(portalId) };
    this.data = new PortalData(ids);
    this.limiter = new RateLimiter(portalId);
  }

  admit(call: ReceivedCall, { settings, now }: CallContext): WireReply | undefined {
    const refusal = this.limiter.admit(limitedAs(call), settings.limits, now);
    return refusal && errorReply(refusal);
  }

  answer(call: ReceivedCall, context: CallContext): WireReply {
    const found = findEndpoint(call.method, call.path);
    if (!found) return edgeReply(404);
    const rateHeaders = this.limiter.headers(limitedAs(call), context.settings.limits, context.now);
    return replyTo(() => this.perform(found, call, context), jsonReply, rateHeaders);
  }

  /** By the position among the results, which of updates is the order of ids. */
  without(reply: WireReply, inputs: readonly number[]): WireReply {
    const body = JSON.parse(reply.payload || 'null') as { readonly results?: unknown } | null;
    if (!Array.isArray(body?.results)) return reply;
    const results = body.results.filter((_, index) => !inputs.includes(index));
    return { ...reply, payload: JSON.stringify({ ...body, results }) };
  }

  statusReply(status: number): WireReply {
    return statusReply(status, this.portalId);
  }

  quotaReply(policy: QuotaPolicy): WireReply {
    return errorReply(overLimit(policy === 'daily' ? 'DAILY' : 'TEN_SECONDLY_ROLLING', this.portalId));
  }

  tokenReply(tokens: IssuedTokens): WireReply {
    return tokenReply(tokens, this.portalId);
  }

  clear(): void {
    this.data.clear();
    this.limiter = new RateLimiter(this.portalId);
  }

  private perform({ endpoint, params }: FoundCall, received: ReceivedCall, context: CallContext): ApiReply {
    if (hasBody(received) && !isJson(received.contentType)) {
      throw new HubspotError(415, { message: 'Unsupported Media Type' });
    }
    const { portalId, data } = this;
    const { now, refusals, settings } = context;
    return endpoint.perform({ ...received, portalId, data, params, now, refusals, searchLagMs: settings.searchLagMs });
  }
}

/** Searches have a limit of their own. */
const limitedAs = ({ method, path }: ReceivedCall): 'search' | 'other' =>
  findEndpoint(method, path)?.endpoint.name === 'search' ? 'search' : 'other';

/** A PUT by default association and a DELETE come without a body and then without a type. */
const hasBody = ({ method, bodyText }: ReceivedCall): boolean =>
  method === 'POST' || method === 'PATCH' || (method === 'PUT' && bodyText !== '');
