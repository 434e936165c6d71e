import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createConnectors, type Connector, type RecordResult } from '@sluice/connectors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import type { LiveCredentials } from '@sluice/types';
import type { RecordedAttempt } from './recorded-results';

/** How a connector came to the class of an answer. */
export type Classified =
  /** By its own tables, from the recorded status. */
  | 'by-status'
  /** The status alone gives another class: the text decided it, and the text is not in the file. */
  | 'by-words'
  /** There is no refusal of a whole call to classify. */
  | 'recorded';

export interface RecordedProviders {
  readonly find: (provider: string) => Connector | undefined;
  /** The connector of the provider, whose writes are answered as recorded. */
  answering(connector: Connector, answer: RecordedAnswer): Connector;
  close(): Promise<void>;
}

export interface RecordedAnswer {
  readonly attempt: RecordedAttempt;
  readonly results: readonly RecordResult[];
  /** Gets how the class of the answer was found. */
  readonly onClassified: (how: Classified) => void;
}

/** Credentials that open nothing. */
export const nobody: LiveCredentials = {
  connectionId: 'replay',
  tokenVersion: 1,
  provider: 'replay',
  groupRef: 'replay',
  status: 'working',
  workspaceRef: 'replay',
  credentials: { accessToken: 'scrubbed' },
};

/** Time of a call here, in milliseconds: everything is on this machine. */
const callTimeoutMs = 5_000;

/**
 * The connectors as they are, with a server on this machine instead of their providers that answers the status of the attempt that is
 * replayed. So a request is built, sent and classified by the code that did it then; only the text of the answer is missing.
 */
export async function openRecordedProviders(): Promise<RecordedProviders> {
  let status = 500;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connectors = createConnectors({
    urls: { hubspot: url, salesforceLogin: url, salesforceInstance: url, declared: url },
    callTimeoutMs,
    logger: silentLogger,
    metrics: createMetrics('replay'),
  });
  return {
    find: (provider) => connectors.find(provider),
    answering: (connector, answer) => {
      status = answer.attempt.status ?? status;
      return withAnswer(connector, answer);
    },
    close: async () => {
      await connectors.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Write = (write: never) => Promise<RecordResult | RecordResult[]>;

function withAnswer(connector: Connector, answer: RecordedAnswer): Connector {
  const writes = ['create', 'update', 'delete', 'createBatch', 'updateBatch'] as const;
  const replaced = writes.flatMap((name) => {
    const write = connector[name] as Write | undefined;
    if (write === undefined) return [];
    const isBatch = name.endsWith('Batch');
    return [[name, async (given: never) => answered(await decide(write, given, answer), isBatch)] as const];
  });
  // What a read showed is not recorded: every field that is written only while empty counts as empty.
  const readBatch = async ({ ids = [] }: { ids?: readonly string[] }) => ids.map((id) => ({ id, fields: {}, raw: {} }));
  return { ...connector, ...(connector.readBatch && { readBatch }), ...Object.fromEntries(replaced) };
}

function answered(results: readonly RecordResult[], isBatch: boolean): RecordResult | readonly RecordResult[] {
  return isBatch ? results : (results[0] as RecordResult);
}

/** A whole call that was refused is refused again, by its status; all else is taken as it was recorded. */
async function decide(
  write: Write,
  given: never,
  { attempt, results, onClassified }: RecordedAnswer,
): Promise<readonly RecordResult[]> {
  const isRefusal = (attempt.status ?? 0) >= 400 && results.every(({ ok }) => !ok);
  if (!isRefusal) {
    onClassified('recorded');
    return results;
  }
  const classified = [await write(given)].flat();
  const isSame = classified.every((result, at) => meaningOf(result) === meaningOf(results[at]));
  onClassified(isSame ? 'by-status' : 'by-words');
  return isSame ? classified : results;
}

/** What is decided by: the class, and the fields that the provider named. */
function meaningOf(result: RecordResult | undefined): string | undefined {
  return result?.ok === false ? [result.error.class, ...(result.error.refusedFields ?? [])].join(' ') : undefined;
}
