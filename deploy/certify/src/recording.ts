import type { TappedExchange } from '@sluice/connectors';
import type { Finding } from './finding';
import type { SubjectWords } from './subjects';

/** One exchange as it is kept: no credential, no address. */
export interface RecordedExchange {
  /** What was being tried. */
  readonly step: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Absent: no reply came. */
  readonly reply?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Parsed. At most one of `json` and `text`. */
    readonly json?: unknown;
    /** The start of a body that is no JSON. */
    readonly text?: string;
  };
}

/** What a certification leaves behind for tests: each exchange in order, and what was concluded from them. */
export interface Recording {
  readonly format: 1;
  readonly provider: string;
  /** `sandbox`: an imitation answered, which proves nothing of the provider. */
  readonly source: 'account' | 'sandbox';
  /** When the run began, by the clock of the machine: what the account made before is not ours. */
  readonly startedAt: string;
  /** Marks the records, so that a replay sends the same. */
  readonly run: string;
  readonly workspaceRef: string;
  /** What the command line stated about a provider whose file came from outside. */
  readonly words?: SubjectWords;
  /** Replaces the token: grants nothing, and has its form. */
  readonly accessToken: string;
  readonly findings: readonly Finding[];
  readonly exchanges: readonly RecordedExchange[];
}

export interface Recorder {
  readonly tap: (exchange: TappedExchange) => void;
  /** What the next exchanges are about. Before it is called the first time nothing is kept. */
  readonly step: (step: string) => void;
  readonly exchanges: readonly RecordedExchange[];
}

/** Reply headers that a connector reads, or that identify what answered; no other header is kept. */
const keptHeaders =
  /^(content-type|retry-after|sforce-limit-info|x-hubspot-ratelimit-(max|remaining|interval-milliseconds|daily|daily-remaining|secondly|secondly-remaining)|(x-)?rate-?limit(-(limit|remaining|reset|total))?)$/;

/** @param provider whose name is left out of the paths: a sandbox has each provider from a file under its name */
export function createRecorder(provider: string): Recorder {
  const exchanges: RecordedExchange[] = [];
  let current: string | undefined;
  return {
    exchanges,
    step: (step) => (current = step),
    tap: ({ method, path, body, forwarded, reply }) => {
      if (current === undefined) return;
      exchanges.push({
        step: current,
        request: {
          method,
          path: pathWithin(path, provider),
          ...(body !== undefined && { body }),
          ...(forwarded?.length && { headers: Object.fromEntries(forwarded.map(({ key, value }) => [key, value])) }),
        },
        ...(reply && { reply: replyOf(reply) }),
      });
    },
  };
}

/** The path as the provider itself has it. */
export function pathWithin(path: string, provider: string): string {
  const [, own] = new RegExp(`^(?:/rest)?/${provider}(/.*)$`).exec(path) ?? [];
  return own ?? path;
}

function replyOf({ status, headers, json, text }: NonNullable<TappedExchange['reply']>) {
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => keptHeaders.test(name))),
    ...(json !== undefined && { json }),
    ...(text !== undefined && { text }),
  };
}
