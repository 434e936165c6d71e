import { loggableReason, type ProviderFailure } from '@sluice/connectors';
import type { FailureClass } from '@sluice/errors';
import type { LaneKey } from '@sluice/store';
import { createConditions, type Logger } from '@sluice/telemetry';
import type { UsedConnection } from './perform-call';

/** Outcomes of one call, as far as they tell whether it went well. */
type Results = readonly ({ readonly ok: true } | { readonly ok: false; readonly error: ProviderFailure })[];

/** Whose account a call was made to. */
export interface CalledAccount extends LaneKey {
  readonly used: Pick<UsedConnection, 'provider' | 'groupRef'>;
}

/**
 * Logs what a person must know of the calls of this process: a line when it begins and a line when it ends, never one for each call. No statement is made
 * for it. A provider fails when it does not answer, whoever is called; a group fails when none of a call's records is written, whatever the reason.
 */
export interface OutcomeWatch {
  called(account: CalledAccount, results: Results): void;
  /** The account is blocked from now on for so many milliseconds. */
  blocked(account: CalledAccount, refused: ProviderFailure, blockMs: number): void;
}

/** What a provider itself is at fault for, and not the customer's account or records. */
const ofProvider: ReadonlySet<FailureClass> = new Set(['unavailable', 'timeout', 'unknown']);

/** Calls that must fail, when they are most of the last twenty: fewer are a hiccup that the retries hide. */
const badMin = 5;
/** A provider that is called has recovered long before; one that nobody calls is of no interest. */
const providerQuietMs = 5 * 60_000;
/** Longer than the longest pause between two tries of a write that waits for its provider. */
const groupQuietMs = 30 * 60_000;
/** An account that is blocked again within a minute was not free in between. */
const laneQuietMs = 60_000;

export function createOutcomeWatch(logger: Logger): OutcomeWatch {
  const condition = createConditions({ logger });
  const providers = condition({
    begins: 'provider.failing',
    ends: 'provider.recovered',
    badMin,
    quietMs: providerQuietMs,
  });
  const groups = condition({ begins: 'group.failing', ends: 'group.recovered', badMin, quietMs: groupQuietMs });
  const lanes = condition({ begins: 'lane.blocked', ends: 'lane.unblocked', badMin: 1, quietMs: laneQuietMs });
  return {
    called: ({ projectId, used: { provider, groupRef } }, results) => {
      const failures = results.flatMap((result) => (result.ok ? [] : [result.error]));
      const [failure] = failures.length === results.length ? failures : [];
      const group = { projectId, groupRef, provider };
      if (failure === undefined) {
        groups.good(group);
        providers.good({ provider });
        return;
      }
      const observation = { reason: loggableReason(failure), facts: factsOf(failure) };
      groups.bad(group, observation);
      if (ofProvider.has(failure.class))
        providers.bad({ provider }, { ...observation, facts: { ...observation.facts, groupRef } });
      else providers.good({ provider });
    },
    blocked: ({ projectId, laneId, used: { provider, groupRef } }, refused, lastsMs) => {
      const facts = { ...factsOf(refused), groupRef, blockedSeconds: Math.round(lastsMs / 1_000) };
      lanes.bad({ projectId, laneId, provider }, { reason: loggableReason(refused), facts, lastsMs });
    },
  };
}

function factsOf({ class: failed, status }: ProviderFailure): Readonly<Record<string, string | number>> {
  return { class: failed, ...(status !== undefined && { status }) };
}
