import { STATUS_CODES } from 'node:http';
import type {
  AccountSettings,
  CallContext,
  ImitatedAccount,
  IssuedTokens,
  ReceivedCall,
  WireReply,
} from '../control/imitated-provider';
import { edgePage, emptyReply } from '../crm/api-call';
import { answerRest } from './answer-rest';
import { RestData, type SerialIds } from './rest-data';
import { dataCentreOf, type RestReply, type RestStyle } from './rest-style';

const windowMs = 10_000;
/** Statuses that come from an edge in front of the provider, as HTML. [own] */
const edgeStatuses = new Set([502, 503, 504]);

/** One account of a REST provider. */
export class RestAccount implements ImitatedAccount {
  readonly identity: { readonly workspaceRef: string };
  readonly data: RestData;
  /** Moments of the calls of the last ten seconds. */
  private moments: number[] = [];

  constructor(
    private readonly style: RestStyle,
    readonly workspaceRef: string,
    ids: SerialIds,
  ) {
    this.identity = { workspaceRef };
    this.data = new RestData(style.objects, ids);
  }

  admit(_: ReceivedCall, { settings: { limits }, now }: CallContext): WireReply | undefined {
    const since = now.getTime() - windowMs;
    this.moments = this.moments.filter((moment) => moment > since);
    const isOver = limits.perTenSeconds > 0 && this.moments.length >= limits.perTenSeconds;
    if (!isOver) this.moments.push(now.getTime());
    return isOver ? this.quotaReply() : undefined;
  }

  answer(call: ReceivedCall, context: CallContext): WireReply {
    const { data, style, workspaceRef } = this;
    const { perTenSeconds } = context.settings.limits;
    const left = Math.max(0, perTenSeconds - this.moments.length);
    const rate = perTenSeconds > 0 ? style.rateHeaders?.(perTenSeconds, left) : undefined;
    return toWire(answerRest({ style, data, workspaceRef }, call, context), rate);
  }

  statusReply(status: number): WireReply {
    if (edgeStatuses.has(status)) {
      return { status, headers: { 'content-type': 'text/html' }, payload: edgePage(status) };
    }
    if (status === 429) return this.quotaReply();
    const reason = status === 401 ? 'credentials' : 'status';
    return toWire(this.style.refused({ reason, status, message: STATUS_CODES[status] ?? 'Error' }));
  }

  quotaReply(): WireReply {
    return toWire(this.style.refused({ reason: 'quota' }));
  }

  /** Who comes with a code has not seen the refresh token yet. */
  tokenReply(
    { accessToken, refreshToken, isRefreshTokenNew, lifetimeSeconds }: IssuedTokens,
    call: ReceivedCall,
    _: Date,
    settings: AccountSettings,
  ): WireReply {
    const isOfCode = new URLSearchParams(call.bodyText).get('grant_type') === 'authorization_code';
    const body = {
      access_token: accessToken,
      ...(isRefreshTokenNew || isOfCode ? { refresh_token: refreshToken } : {}),
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      ...dataCentreOf(this.style, settings)?.tokenMembers,
    };
    return toWire({ status: 200, body });
  }

  clear(): void {
    this.data.clear();
    this.moments = [];
  }
}

/** A reply of a style as it travels. */
export function toWire({ status, body, headers }: RestReply, rate: Readonly<Record<string, string>> = {}): WireReply {
  const all = { ...rate, ...headers };
  if (body === undefined) return emptyReply(status, all);
  return { status, headers: { 'content-type': 'application/json', ...all }, payload: JSON.stringify(body) };
}
