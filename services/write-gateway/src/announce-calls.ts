import { topics, type Announcer } from '@sluice/messaging';
import type { ReleasedCall } from '@sluice/store';

/** Announces calls that waited behind a synchronous write to the same record. */
export function announceReleased(announcer: Announcer, calls: readonly ReleasedCall[]): void {
  for (const { number, ...call } of calls) {
    announcer.announce(topics.ready.key(call), { ...call, callNumber: number, acceptedAt: new Date().toISOString() });
  }
}
