import type { AccountOptions, ProviderName } from '../../harness/account';

/** A way in which a provider is awkward, and what comes of writes that meet it. */
export interface AwkwardRow {
  readonly name: string;
  readonly provider: ProviderName;
  readonly account?: AccountOptions;
  /** What meets the first create of records; none: only the account's settings. */
  readonly action?: object;
  /** What is written: one contact, or so many in one request. @default 1 */
  readonly records?: number;
  /** How many requests at once. @default 1 */
  readonly requests?: number;
  /** Calls that carried records to create, where the number is certain. */
  readonly sends?: number;
}

/** An address that hands out credentials in a cloud. Whoever follows a redirect to it has lost. */
const metadata = 'http://169.254.169.254/latest/meta-data/';

const hubspot = (name: string, action: object, more: Partial<AwkwardRow> = {}): AwkwardRow => ({
  name,
  provider: 'hubspot',
  action,
  sends: 1,
  ...more,
});

/**
 * Creates of contacts, which can be looked up by email. Every row must end alike: every write is settled as written, on the evidence of a
 * reply or of a lookup, and each record exists once.
 */
export const rows: readonly AwkwardRow[] = [
  hubspot('compressed with gzip, which was not asked for', { kind: 'dress', encoding: 'gzip' }),
  hubspot('compressed with brotli', { kind: 'dress', encoding: 'br' }),
  hubspot('called gzip, and none', { kind: 'dress', encoding: 'broken' }),
  hubspot('JSON called HTML', { kind: 'dress', contentType: 'text/html' }),
  hubspot('HTML of the edge after the record was made', { kind: 'commit-then-status', status: 502 }),
  hubspot('2xx with nothing in it', { kind: 'commit-then-status', status: 201, body: '' }),
  hubspot('2xx with HTML in it', { kind: 'commit-then-status', status: 200, body: '<html>Welcome</html>' }),
  hubspot('a redirect to a link-local address', { kind: 'redirect', location: metadata }, { sends: 2 }),
  hubspot('the same after the record was made', { kind: 'redirect', location: metadata, status: 307, commit: true }),
  hubspot('a reply of one byte at a time', { kind: 'drip', delayMs: 50 }),
  hubspot('a reply of a gigabyte', { kind: 'huge' }),
  hubspot('200,000 lists in each other', { kind: 'nested' }),
  hubspot('half a reply', { kind: 'reset-mid-reply' }),
  hubspot('a connection that closes when it is idle', { kind: 'close-idle', delayMs: 1 }, { requests: 6, sends: 6 }),
  hubspot('a batch whose reply leaves an input out', { kind: 'omit', inputs: [1] }, { records: 4 }),
  {
    name: 'Salesforce: a collection whose reply leaves an input out',
    provider: 'salesforce',
    action: { kind: 'omit', inputs: [0] },
    records: 4,
  },
  {
    name: 'Salesforce: children of one parent, written at once, lock each other out',
    provider: 'salesforce',
    account: { latencyMs: 60, lockContention: 1 },
    records: 3,
    requests: 4,
  },
  {
    name: 'Salesforce: more long calls than the org may have',
    provider: 'salesforce',
    account: { latencyMs: 250, limits: { concurrentLong: 1, longAfterMs: 40 } },
    requests: 4,
  },
  {
    name: 'HubSpot: the latencies of a real one',
    provider: 'hubspot',
    account: { latencyMs: 'typical' },
    records: 20,
    sends: 1,
  },
];
