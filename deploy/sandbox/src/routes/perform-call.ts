import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '../control/account';
import { digest } from '../control/derived';
import { endingOf, refusalsOf, takesEffect, type Ending } from '../control/fault-action';
import type { CallContext, ImitatedProvider, ReceivedCall } from '../control/imitated-provider';
import type { Sandbox } from '../sandbox';
import { prepareOAuthCall, type AccountCall, type PreparedCall } from './authorization';

/** A call with its caller. */
export interface IncomingCall {
  readonly provider: ImitatedProvider;
  readonly received: ReceivedCall;
  /** Aborted when the caller leaves. */
  readonly gone: AbortSignal;
}

/** A call that has arrived, and what it is. */
interface ArrivedCall extends IncomingCall {
  readonly prepared: PreparedCall;
  readonly arrivedAt: Date;
}

/**
 * Performs one provider call: token, limit, faults, waiting, work, ledger, in this order.
 * A call refused for its token or a limit meets no fault, so that each fault that counts has its effect.
 * Once admitted, a call takes effect whether or not its caller is still connected, as at a real provider.
 */
export async function performCall(sandbox: Sandbox, call: IncomingCall): Promise<Ending> {
  const { provider, received } = call;
  const prepared = prepareOAuthCall(sandbox, provider, received) ?? prepareApiCall(sandbox, provider, received);
  const arrived = { ...call, prepared, arrivedAt: sandbox.now() };
  if (!prepared.account) return finish(sandbox, arrived, { reply: prepared.reply });
  const leave = prepared.account.enter(arrived.arrivedAt.getTime());
  try {
    return await admit(sandbox, { ...arrived, prepared });
  } finally {
    leave();
  }
}

function prepareApiCall(sandbox: Sandbox, provider: ImitatedProvider, call: ReceivedCall): PreparedCall {
  const token = (provider.tokenOf ? provider.tokenOf(call) : bearerOf(call)) ?? '';
  const account = sandbox.accounts.findByToken(token);
  const expiry = account?.provider === provider ? account.grant.expiryOf(token) : undefined;
  const kind = provider.callKind(call);
  if (!account || expiry === undefined) return { kind, reply: provider.refuseBearer('unknown', sandbox.now(), call) };
  return {
    kind,
    account,
    token,
    refuse: (context) => {
      if (expiry === null || expiry > context.now) return account.imitated.admit(call, context);
      // What the customer took back was not too old: saying so would send a reader after the wrong cause.
      const isRevoked = account.grant.current.standing !== 'live';
      return provider.refuseBearer(isRevoked ? 'unknown' : { expiredAt: expiry }, context.now, call);
    },
    work: (context) => account.imitated.answer(call, context),
  };
}

function bearerOf({ headers }: ReceivedCall): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}

async function admit(sandbox: Sandbox, call: ArrivedCall & { readonly prepared: AccountCall }): Promise<Ending> {
  const { prepared, received, gone } = call;
  const { account, kind } = prepared;
  const refusal = prepared.refuse?.(contextOf(sandbox, account));
  if (refusal) return finish(sandbox, call, { reply: refusal });
  const { name, imitated, settings } = account;
  const { fault, waitMs } = sandbox.faults.take({ ...received, account: name, records: kind.records });
  const rows = account.locks.take(imitated, received, settings.lockContention);
  let ending: Ending;
  try {
    if (waitMs > 0) await delay(waitMs, undefined, { signal: account.waiting });
    // From here to the ledger nothing waits: the changes that the ledger records are those of this call.
    const refusals = new Map([...rows.refusals, ...refusalsOf(fault)]);
    const reply = takesEffect(fault) ? prepared.work({ ...contextOf(sandbox, account), refusals }) : undefined;
    ending = finish(sandbox, call, endingOf(fault, reply, imitated), fault?.kind);
  } finally {
    rows.release();
  }
  if (ending.holdMs !== undefined) {
    // In silence; ends early when the caller leaves or the account is cleared.
    const signal = AbortSignal.any([account.waiting, gone]);
    await delay(ending.holdMs, undefined, { signal }).catch(() => undefined);
  }
  return ending;
}

/** Records the outcome in the ledger. @returns it */
function finish(
  sandbox: Sandbox,
  { provider, received, gone, prepared, arrivedAt }: ArrivedCall,
  ending: Ending,
  fault = gone.aborted ? 'caller-gone' : undefined,
): Ending {
  const { kind, account } = prepared;
  const outcome = {
    at: arrivedAt.toISOString(),
    provider: provider.name,
    method: received.method,
    path: received.path,
    action: kind.action,
    status: gone.aborted ? 0 : (ending.reply?.status ?? 0),
    records: kind.records,
    ...(kind.headers && { headers: kind.headers }),
    ...(fault !== undefined && { fault }),
    ...(account && prepared.token !== undefined && { token: tokenName(prepared.token) }),
    tookMs: sandbox.now().getTime() - arrivedAt.getTime(),
  };
  sandbox.record(account, outcome, received);
  return ending;
}

/** Distinguishes tokens in the ledger without storing them there. */
const tokenName = (token: string): string => digest(token).toString('hex', 0, 6);

function contextOf(sandbox: Sandbox, account: Account): CallContext {
  const now = sandbox.now();
  return { now, settings: account.settings, refusals: new Map(), longCalls: account.longCalls(now.getTime()) };
}
