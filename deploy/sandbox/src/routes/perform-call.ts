import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '../control/account';
import { HubspotError } from '../hubspot/errors';
import { invalidAuthentication } from '../hubspot/status-reply';
import { errorReply } from '../hubspot/wire-reply';
import type { Sandbox } from '../sandbox';
import { answerCall } from './answer-call';
import { disturbanceOf } from './disturbance';
import type { Ending } from './ending';
import type { HubspotRoute } from './hubspot-route';
import { countRecords, type ReceivedCall } from './received-call';

/** A call on its way through the sandbox. */
export interface CallInHand {
  readonly received: ReceivedCall;
  /** Absent for a path that HubSpot does not have. */
  readonly route: HubspotRoute | undefined;
  /** Aborted when the caller leaves. */
  readonly gone: AbortSignal;
}

/** Notes the outcome in the ledger and passes it on. */
type Finish = (ending: Ending, fault?: string) => Ending;

/**
 * Carries out one HubSpot call: token, limit, fault, waiting, work, ledger, in this order.
 * A call refused for its token or a limit meets no fault, so that each fault that counts has its effect.
 * Once admitted, a call takes effect whether or not its caller is still there, as at a real provider.
 */
export async function performCall(sandbox: Sandbox, call: CallInHand): Promise<Ending> {
  const account = sandbox.accounts.findByToken(call.received.token);
  const finish = finisher(sandbox, account, call);
  if (!account) return finish({ reply: errorReply(new HubspotError(401, invalidAuthentication)) });
  account.enter();
  try {
    return await admit(sandbox, { ...call, account, finish });
  } finally {
    account.leave();
  }
}

async function admit(
  sandbox: Sandbox,
  call: CallInHand & { readonly account: Account; readonly finish: Finish },
): Promise<Ending> {
  const { account, received, route, finish } = call;
  const rateHeaders = takeQuota(account, route, sandbox.now());
  if (rateHeaders instanceof HubspotError) return finish({ reply: errorReply(rateHeaders) });
  const fault = sandbox.faults.take({ account: account.name, method: received.method, path: received.path });
  const { beforeMs, works, refusals, end } = disturbanceOf(fault, account.portalId);
  const waitMs = account.settings.latencyMs + beforeMs;
  if (waitMs > 0) await delay(waitMs, undefined, { signal: account.waiting });
  // From here to the ledger nothing waits: the changes that the ledger takes over are those of this call.
  const options = { route, now: sandbox.now(), rateHeaders, refusals };
  const ending = finish(end(works ? answerCall(account, received, options) : undefined), fault?.kind);
  if (ending.holdMs !== undefined) await hold(ending.holdMs, AbortSignal.any([account.waiting, call.gone]));
  return ending;
}

function takeQuota(account: Account, route: HubspotRoute | undefined, now: Date) {
  try {
    return account.limiter.admit(route?.name === 'search' ? 'search' : 'other', account.settings.limits, now);
  } catch (error) {
    if (error instanceof HubspotError) return error;
    throw error;
  }
}

function finisher(sandbox: Sandbox, account: Account | undefined, { received, route, gone }: CallInHand): Finish {
  const arrived = sandbox.now();
  return (ending, fault) => {
    const name = fault ?? (gone.aborted ? 'caller-gone' : undefined);
    sandbox.record(account, {
      at: arrived.toISOString(),
      method: received.method,
      path: received.path,
      action: route?.name ?? 'unknown',
      status: gone.aborted ? 0 : (ending.reply?.status ?? 0),
      records: countRecords(route, received.bodyText),
      ...(name === undefined ? {} : { fault: name }),
      tookMs: sandbox.now().getTime() - arrived.getTime(),
    });
    return ending;
  };
}

/** Keeps a connection open in silence; ends early when the caller leaves or the account is cleared. */
async function hold(ms: number, until: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: until }).catch(() => undefined);
}
