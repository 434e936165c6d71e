import type {
  AccountChange,
  CallContext,
  ImitatedAccount,
  IssuedTokens,
  QuotaPolicy,
  ReceivedCall,
  WireReply,
} from '../control/imitated-provider';
import { HubspotError, errorReply, edgePage, jsonReply, textReply } from './wire-reply';
import { findEndpoint } from './find-endpoint';
import { PortalData } from './portal-data';
import { rateLimitFields, RateLimiter } from './rate-limit';
import type { RecordIds } from './records-store';
import { statusReply } from './status-reply';
import { tokenReply } from './token-reply';

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
    try {
      this.limiter.admit(limitedAs(call), settings.limits, now);
      return undefined;
    } catch (error) {
      if (error instanceof HubspotError) return errorReply(error);
      throw error;
    }
  }

  answer(call: ReceivedCall, context: CallContext): WireReply {
    const { portalId, data } = this;
    const rateHeaders = this.limiter.headers(limitedAs(call), context.settings.limits, context.now);
    return answerCall({ portalId, data, rateHeaders }, call, context);
  }

  statusReply(status: number): WireReply {
    return statusReply(status, this.portalId);
  }

  /** By the place among the results, which of updates is the order of ids. */
  without(reply: WireReply, inputs: readonly number[]): WireReply {
    const body = JSON.parse(reply.payload || 'null') as { readonly results?: unknown } | null;
    if (!Array.isArray(body?.results)) return reply;
    const results = body.results.filter((_, index) => !inputs.includes(index));
    return { ...reply, payload: JSON.stringify({ ...body, results }) };
  }

  quotaReply(policy: QuotaPolicy): WireReply {
    const name = policy === 'daily' ? 'DAILY' : 'TEN_SECONDLY_ROLLING';
    return errorReply(new HubspotError(429, rateLimitFields(name, this.portalId)));
  }

  tokenReply(tokens: IssuedTokens): WireReply {
    return tokenReply(tokens, this.portalId);
  }

  takeChanges(): readonly AccountChange[] {
    return this.data.takeChanges();
  }

  fieldsOf(change: AccountChange) {
    return this.data.fieldsOf(change);
  }

  restore(change: AccountChange): void {
    this.data.restore(change);
  }

  clear(): void {
    this.data.clear();
    this.limiter = new RateLimiter(this.portalId);
  }

  objects() {
    return this.data.objects();
  }

  count(object: string) {
    return this.data.count(object);
  }

  list(object: string, latest?: number) {
    return this.data.list(object, latest);
  }
}

/** Searches have a limit of their own. */
const limitedAs = ({ method, path }: ReceivedCall): 'search' | 'other' =>
  findEndpoint(method, path)?.endpoint.name === 'search' ? 'search' : 'other';

/** The account as answering needs it. */
interface AnsweringPortal {
  readonly portalId: number;
  readonly data: PortalData;
  readonly rateHeaders: Readonly<Record<string, string>>;
}

/** What HubSpot answers to an admitted call, with everything that follows from it in the data. */
function answerCall(portal: AnsweringPortal, received: ReceivedCall, context: CallContext): WireReply {
  const { portalId, data, rateHeaders } = portal;
  const found = findEndpoint(received.method, received.path);
  if (!found) return textReply(404, edgePage(404, 'Not Found'));
  try {
    const { endpoint, params } = found;
    const { now, refusals, settings } = context;
    if (hasBody(received)) requireJson(received.contentType);
    const call = { ...received, portalId, data, params, now, refusals, searchLagMs: settings.searchLagMs };
    const reply = endpoint.perform(call);
    const headers = { ...rateHeaders, ...reply.headers };
    return reply.body === undefined
      ? { status: reply.status, headers, payload: '' }
      : jsonReply(reply.status, reply.body, headers);
  } catch (error) {
    if (error instanceof HubspotError) return errorReply(error, rateHeaders);
    throw error;
  }
}

/** A PUT by default association and a DELETE come without a body and then without a type. */
const hasBody = ({ method, bodyText }: ReceivedCall): boolean =>
  method === 'POST' || method === 'PATCH' || (method === 'PUT' && bodyText !== '');

function requireJson(contentType: string): void {
  if (/^application\/json\b/i.test(contentType)) return;
  throw new HubspotError(415, { message: 'Unsupported Media Type' });
}
