import type {
  CallContext,
  ImitatedAccount,
  IssuedTokens,
  QuotaPolicy,
  ReceivedCall,
  WireReply,
} from '../control/imitated-provider';
import { isJson, replyTo, type ApiReply } from '../crm/api-call';
import type { RecordIds } from '../crm/record-store';
import { findEndpoint, type FoundCall } from './endpoints';
import { edgeReply, errorReply, HubspotError, jsonReply, overLimit, statusReply } from './errors';
import { PortalData } from './portal-data';
import { RateLimiter } from './rate-limit';
import { tokenReply } from './tokens';

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
