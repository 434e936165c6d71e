import { Agent, request } from 'node:http';

/** What came back; a request without a reply has status 0 and the reason. */
export interface Answered {
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  /** The start of the body, or why there is none. */
  readonly text: string;
  readonly retryAfter: string | undefined;
}

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** What is kept of a reply. */
const textMax = 2_000;
const timeoutMs = 120_000;

/** Sends requests, each on a connection of its own, and reads the replies without keeping them. */
export async function flood(requests: readonly Sent[], atOnce = requests.length): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: false, maxSockets: atOnce });
  try {
    return await Promise.all(requests.map((each) => sendOnce(agent, each)));
  } finally {
    agent.destroy();
  }
}

function sendOnce(agent: Agent, { method = 'POST', url, headers = {}, body }: Sent): Promise<Answered> {
  return new Promise((resolve) => {
    let startedAtMs = performance.now();
    let bytes = 0;
    let text = '';
    const end = (status: number, retryAfter?: string, reason = text): void =>
      resolve({ status, ms: performance.now() - startedAtMs, bytes, text: reason, retryAfter });
    const framed =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = request(
      url,
      { agent, method, headers: { ...framed, ...headers }, timeout: timeoutMs },
      (reply) => {
        reply.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (text.length < textMax) text += chunk.toString('utf8').slice(0, textMax);
        });
        reply.on('end', () => end(reply.statusCode ?? 0, reply.headers['retry-after']));
        reply.on('error', (error) => end(0, undefined, `the reply broke off: ${error.message}`));
      },
    );
    outgoing.on('socket', () => (startedAtMs = performance.now()));
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no reply within ${timeoutMs} ms`)));
    outgoing.on('error', (error) => end(0, undefined, error.message));
    outgoing.end(body);
  });
}

/** `{"200": 97, "503": 3}` */
export function statusesOf(answers: readonly Answered[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
