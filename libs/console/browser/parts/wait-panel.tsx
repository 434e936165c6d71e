import { isOutage, pluralize, type Operation, type OperationProgress } from '@sluice/types';
import type { ComponentChildren } from 'preact';
import { hrefOf } from '../use-route';
import { Moment } from './moment';

interface WaitOptions {
  readonly operation: Operation;
  readonly progress: OperationProgress;
}

interface Wait {
  readonly what: ComponentChildren;
  /** @default since it was accepted */
  readonly since?: string | undefined;
  readonly remedy: ComponentChildren;
}

/** What a write in progress waits for, since when, and what to do. Refused credentials have a panel of their own, with what ends them. */
export function WaitPanel({ operation, progress }: WaitOptions) {
  const wait = waitOf(progress);
  if (wait === undefined || operation.status !== 'in_progress') return null;
  const { what, since = operation.createTime, remedy } = wait;
  return (
    <section class="panel wait" aria-label="What it waits for">
      <dl class="pairs">
        <dt>Waits for</dt>
        <dd>{what}</dd>
        <dt>Since</dt>
        <dd>
          <Moment of={since} />
        </dd>
        <dt>What to do</dt>
        <dd>
          {remedy} <a href={hrefOf(`customers/${operation.installationId}`)}>Open the customer</a>
        </dd>
      </dl>
    </section>
  );
}

/** Undefined: nothing keeps it from being sent, or its credentials are refused. */
function waitOf({
  phase,
  batch,
  calls,
  held,
  lastFailure,
  laneBlockedUntil,
  nextAttemptTime,
}: OperationProgress): Wait | undefined {
  if (held !== undefined) return undefined;
  if (phase === 'accumulating')
    return batch === undefined
      ? undefined
      : {
          what: 'more records, in an auto-batch',
          remedy: (
            <>
              Nothing: it is sent when full, or <Moment of={batch.dueTime} />.
            </>
          ),
        };
  if (lastFailure !== undefined && isOutage(lastFailure)) return outageOf(lastFailure, nextAttemptTime);
  if (calls.running > 0) return undefined;
  if (laneBlockedUntil !== undefined)
    return {
      what: 'the end of a block: the provider made the account wait',
      remedy: (
        <>
          Nothing: it is sent <Moment of={laneBlockedUntil} />.
        </>
      ),
    };
  if (calls.inDoubt > 0)
    return {
      what: `the lookup of what ${pluralize(calls.inDoubt, 'call')} has written`,
      remedy: 'Nothing: it ends by itself.',
    };
  if (nextAttemptTime !== undefined)
    return {
      what: 'its next attempt',
      remedy: (
        <>
          Nothing: it is tried again <Moment of={nextAttemptTime} />. The log below says why the last one failed.
        </>
      ),
    };
  if (calls.waiting > 0 && calls.ready === 0)
    return { what: 'an earlier write to the same record', remedy: 'Nothing: it follows that one.' };
  return { what: "its turn in the account's lane", remedy: 'Nothing, unless it lasts: then see Lanes.' };
}

function outageOf(
  { status, time }: NonNullable<OperationProgress['lastFailure']>,
  nextAttemptTime: string | undefined,
): Wait {
  const tried = nextAttemptTime === undefined ? null : <Moment of={nextAttemptTime} />;
  return {
    what: <>the provider, which {status === undefined ? 'does not answer' : `answers ${status}`}</>,
    since: time,
    remedy: <>Nothing: it is tried again by itself {tried}, until its deadline.</>,
  };
}
