import type {
  AccountChange,
  CallContext,
  ImitatedAccount,
  IssuedTokens,
  QuotaPolicy,
  ReceivedCall,
  WireReply,
} from '../control/imitated-provider';
import { answerCall } from './answer-call';
import { HubspotError } from './errors';
import { findEndpoint } from './find-endpoint';
import { PortalData } from './portal-data';
import { rateLimitFields, RateLimiter } from './rate-limit';
import type { RecordIds } from './record-ids';
import { statusReply } from './status-reply';
import { tokenReply } from './token-reply';
import { errorReply } from './wire-reply';

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
