import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createConnectors, type Declaration, loadDeclarations } from '@sluice/connectors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { certify } from './certify';
import type { Finding } from './finding';
import type { Journal } from './journal';
import { urlsOf } from './open-certified';
import { pathWithin, type RecordedExchange, type Recording } from './recording';
import { type RawRecording, scrub } from './scrub/scrub';
import { type Subject, subjectOf, subjectOfFile } from './subjects';
import { createReplayClock } from './trial';

/** A server that answers as a recording did. */
export interface Replay {
  readonly url: string;
  /** Requests that the recording does not have, or not with this body, or not once more. */
  readonly unmatched: readonly string[];
  /** Recorded exchanges that nobody asked for so far. */
  readonly unused: () => readonly string[];
  close(): Promise<void>;
}

/**
 * Answers each request with the recorded reply to the same one: method, path and body, moments aside; of several the earliest
 * that was not given yet. Another request is 501.
 */
async function startReplay(recording: Pick<Recording, 'exchanges' | 'provider'>): Promise<Replay> {
  const left = recording.exchanges.map((exchange) => ({ exchange, key: keyOf(exchange.request) }));
  const unmatched: string[] = [];
  const server = createServer((request, response) => void reply(request, response));
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const path = pathWithin(request.url ?? '', recording.provider);
    const asked = { method: request.method ?? '', path, ...(body !== undefined && { body }) };
    const at = left.findIndex(({ key }) => key === keyOf(asked));
    const [found] = at === -1 ? [] : left.splice(at, 1);
    if (!found) unmatched.push(keyOf(asked));
    answer(request, response, found?.exchange);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unmatched,
    unused: () => left.map(({ key }) => key),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Moments are those of the run; everything else must be equal. */
const moment = /\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d+)?Z?|\b1[6-9]\d{11}\b/g;

function keyOf({ method, path, body }: RecordedExchange['request']): string {
  return `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`.replace(moment, '<moment>');
}

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

function answer(request: IncomingMessage, response: ServerResponse, exchange: RecordedExchange | undefined): void {
  const { reply } = exchange ?? {};
  if (exchange && !reply) {
    request.socket.destroy();
    return;
  }
  if (!reply) {
    response.writeHead(501, { 'content-type': 'text/plain' }).end('the recording has no such request');
    return;
  }
  response.writeHead(reply.status, { ...reply.headers });
  response.end(reply.json === undefined ? reply.text : JSON.stringify(reply.json));
}

/** What a recording gives when it is answered from again. */
export interface Replayed {
  readonly findings: readonly Finding[];
  /** Requests that the recording does not have: the connector asks something else than it did. */
  readonly unmatched: readonly string[];
  /** Recorded exchanges that were not asked for. */
  readonly unused: readonly string[];
}

/** Nothing is written at a replay, so nothing has to be found again. */
const noJournal: Journal = { write: () => undefined, remove: () => undefined, unfinished: () => [] };

/**
 * Runs the checks of a certification against its recorded replies, without an account and without waiting.
 * @param providersDir folder with the provider's file, where that does not come along
 */
export async function replayRecording(recording: RawRecording, providersDir?: string): Promise<Replayed> {
  const { provider, run, workspaceRef, accessToken } = recording;
  const { subject } = subjectIn(recording, providersDir);
  const replay = await startReplay(recording);
  const connectors = createConnectors({
    urls: { ...urlsOf(replay.url), declared: replay.url },
    providersDir,
    callTimeoutMs: 30_000,
    logger: silentLogger,
    metrics: createMetrics('replay'),
  });
  try {
    const auth = { accessToken, workspaceRef, kind: subject.access ?? 'oauth2' };
    const startedAt = new Date(recording.startedAt);
    const connector = connectors.get(provider);
    const clock = createReplayClock();
    const { findings } = await certify({ connector, auth, subject, run, startedAt, journal: noJournal, clock });
    return { findings, unmatched: replay.unmatched, unused: replay.unused() };
  } finally {
    await connectors.close();
    await replay.close();
  }
}

/** What a recorded run wrote, and the file of its provider where it is one. @throws Error when nobody knows any more */
function subjectIn(
  { provider, words = {} }: RawRecording,
  providersDir?: string,
): { subject: Subject; file: Declaration | undefined } {
  const file = loadDeclarations(providersDir).find(({ name }) => name === provider);
  const subject = subjectOf(provider) ?? (file && subjectOfFile(file, words));
  if (typeof subject === 'object') return { subject, file };
  throw new Error(subject ?? `${provider}: the records to create are not declared`);
}

/** Scrubs a recording of a provider that comes along. */
export function scrubRecording(recording: RawRecording): RawRecording {
  return scrub(recording, subjectIn(recording));
}
