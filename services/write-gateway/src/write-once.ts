import { DependencyError, RequestError } from '@sluice/errors';
import type { Reply } from '@sluice/http';
import { currentStep } from '@sluice/telemetry';
import { commitCalls, commitMember, replyAccepted } from './accept-write';
import type { GatewayContext } from './context';
import { findReply, inFlight } from './idempotency';
import { resolveWrite, type Refused, type ResolvedWrite, type WriteCall } from './resolve-write';
import { commitOpening, replyWritten } from './write-synchronously';

/** Lookups of a key that others take and free at the same time, before the caller is asked to retry. */
const keyLookupsMax = 3;

/**
 * Makes a write, or answers as the first request with its idempotency key was answered. A write whose key was free when it was looked up, and taken
 * when it was committed, is looked up again. Order: 1. Plan. 2. Refuse. 3. Commit. 4. Announce or send. 5. Reply.
 */
export async function writeOnce(context: GatewayContext, call: WriteCall): Promise<Reply> {
  for (let lookup = 1; lookup <= keyLookupsMax; lookup += 1) {
    const known = call.idempotency && (await findReply(context, call, call.idempotency));
    if (known !== undefined) return known;
    const committed = await commitPlanned(context, call);
    if (committed === undefined) continue;
    return await (committed.kind === 'opened'
      ? replyWritten(context, committed)
      : replyAccepted(context, call, committed));
  }
  throw inFlight();
}

const commitBy = { asynchronous: commitCalls, 'auto-batched': commitMember, synchronous: commitOpening };
type Answer = Awaited<ReturnType<(typeof commitBy)[keyof typeof commitBy]>>;
type Committed = Exclude<Answer, Refused> & { readonly write: ResolvedWrite };

/**
 * Plans and commits a write. It is planned for the installation as it is known, and once more when the commit finds another one in force.
 * @returns undefined when its idempotency key was taken: nothing was written
 * @throws DependencyError when the installation changed twice meanwhile; what planning and committing throw
 */
async function commitPlanned(context: GatewayContext, call: WriteCall): Promise<Committed | undefined> {
  let write = await resolveKnown(context, call);
  for (let isAgain = false; ; isAgain = true) {
    const answer = await commitBy[write.operation.mode](context, call, write);
    if (answer.kind === 'key-taken') return undefined;
    if (answer.kind !== 'stale') {
      await context.failpoints.hit('gw.after_commit');
      const { projectId, objectName, type, mode } = write.operation;
      const { provider } = write.installation;
      const records = write.planned.length;
      const durationMs = performance.now() - answer.startedAtMs;
      context.acceptMeters.accepted({ mode, projectId, provider, records, durationMs });
      // For the trace of the request and its further log lines.
      currentStep()?.note({ operationId: answer.operationId, objectName, type, mode, provider, records });
      return { ...answer, write };
    }
    if (isAgain) throw changedMeanwhile();
    write = await resolveWrite(context, call, await context.installations.resolveAgain(call.names));
  }
}

/**
 * A write to the installation as it is known. What is known may be a second old. The accepting statement compares it with what is in force (`stale`),
 * and a refusal by it counts only after the installation was read again. So a change is in force for the next request, without a timer.
 * @throws RequestError by a rule of the installation as it is now
 */
async function resolveKnown(context: GatewayContext, call: WriteCall): Promise<ResolvedWrite> {
  const { installations } = context;
  const installation = await installations.resolve(call.names);
  try {
    return await resolveWrite(context, call, installation);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const current = await installations.resolveAgain(call.names);
    // Nothing is planned again when that finds what was known.
    if (current === installation) throw error;
    return await resolveWrite(context, call, current);
  }
}

/** The installation has changed twice while one write was accepted. */
function changedMeanwhile(): DependencyError {
  return new DependencyError({
    code: 'service.unavailable',
    detail: 'The installation or the API key was changed while the write was accepted. Nothing was written.',
    retryAfterMs: 1_000,
  });
}
