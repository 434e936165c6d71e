import { connect } from 'node:net';
import { answerMessages, sendReady } from '../harness/child';
import { groupMark, mark, sentAtMark, type LoadResult, type LoadSpec } from '../harness/generate-load';
import { createLoadRun, type Line, type LoadRun } from '../harness/load-run';

/** Numbers go on over all runs and begin at the clock, so that no body comes twice, not even after a restart. */
let nextNumber = Date.now() * 1000;

answerMessages((spec) => runLoad(spec as LoadSpec));
sendReady({ ready: true });

async function runLoad(spec: LoadSpec): Promise<LoadResult> {
  const run = createLoadRun(spec);
  const lines = await Promise.all(Array.from({ length: spec.connections }, () => openLine(spec, run)));
  run.begin(lines);
  await run.ended;
  for (const line of lines) line.close();
  return run.result();
}

async function openLine(spec: LoadSpec, run: LoadRun): Promise<Line> {
  const url = new URL(spec.url);
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  socket.setEncoding('latin1');
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let startedAtMs = 0;
  let received = '';
  const line: Line = {
    close: () => socket.destroy(),
    send: (dueAtMs) => {
      startedAtMs = dueAtMs;
      socket.write(nextRequest(spec, url), 'latin1');
    },
  };
  socket.on('error', (error) => run.broken(error));
  socket.on('close', () => run.broken(new Error(`${spec.url} closed a connection`)));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const length = lengthOfReply(received);
    if (length === undefined || received.length < length) return;
    const text = received;
    received = '';
    run.replied(line, Number(text.slice(9, 12)), startedAtMs, () => text);
  });
  return line;
}

/** Characters of a whole reply (latin1: bytes); undefined while its head is not whole. Replies without a length are not understood. */
function lengthOfReply(received: string): number | undefined {
  const head = received.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  if (length === undefined) throw new Error(`a reply without Content-Length: ${received.slice(0, head)}`);
  return head + 4 + Number(length);
}

const heads = new WeakMap<LoadSpec, readonly string[]>();
/** Prime, and so without a common divisor with 100 or 100,000 groups: each gets as many as the others, in no order. */
const stride = 7_919;

function nextRequest(spec: LoadSpec, url: URL): string {
  const number = (nextNumber += 1);
  const { body, groups = 1, firstGroup = 0 } = spec;
  const known = heads.get(spec) ?? headsOf(spec, url);
  heads.set(spec, known);
  const head = known[number % known.length] ?? '';
  if (body === undefined) return head;
  const group = firstGroup + (((number % 1_000_000) * stride) % groups);
  const text = body
    .replace(mark, String(number).padStart(mark.length, '0'))
    .replace(groupMark, String(group).padStart(groupMark.length, '0'))
    .replace(sentAtMark, String(Date.now()));
  return head + text;
}

/** A request head for each path. Bodies are ASCII, and what is filled in has the length of its mark, so Content-Length is that of the template. */
function headsOf({ body, paths = [], headers }: LoadSpec, url: URL): readonly string[] {
  const sent = {
    host: url.host,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(body.length) }),
    ...headers,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  const method = body === undefined ? 'GET' : 'POST';
  const own = paths.length === 0 ? [`${url.pathname}${url.search}`] : paths;
  return own.map((path) => `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
}
