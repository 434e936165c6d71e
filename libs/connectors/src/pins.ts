import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Something of a provider, or of a backing service, that we ask for by its version, path or date, and that may end. */
export interface Pin {
  /** Name of the provider; of a backing service `postgres`, `redis` or `kafka`. */
  readonly of: string;
  readonly pin: string;
  /** As it stands in the file of `in`. */
  readonly value: string;
  /** Path of the file in the repository. */
  readonly in: string;
  /** Days, `YYYY-MM-DD`. `unknown`: no published date was found on `readOn`. */
  readonly since: string;
  readonly until: string;
  readonly source: string;
  readonly readOn: string;
}

/** Everything that is pinned, as the table of this build has it. Printed by `npm run pins`; the page is docs/providers/pins.md. */
export const pins = JSON.parse(readFileSync(join(__dirname, '..', 'pins.json'), 'utf8')) as readonly Pin[];

/** Those that have ended on this day. */
export function endedPins(now: Date): Pin[] {
  return pins.filter(({ until }) => until !== 'unknown' && new Date(until) <= now);
}

/** Of a pin that has ended, in a few words: what stands in `endedVersions` of the catalogue. */
export function pinText({ pin, value, until }: Pin): string {
  return `${pin} ${value}: ended on ${until}`;
}
