import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isPortFree, type Log } from '@sluice/stack';

/** Distance of the collector's port from the base, beside those of the services. */
const collectorDistance = 920;
/** The file is begun anew when it grows past this. */
const bytesMax = 50 * 1024 * 1024;

/** Where `npm start -- --observe` keeps traces, and `npm run trace` finds them. */
export function traceFileOf(dataDir: string): string {
  return join(dataDir, 'traces.jsonl');
}

export interface KeepTracesOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly dataDir: string;
  readonly portBase: number;
  readonly log: Log;
}

export interface KeptTraces {
  /** What the services need to send every trace here. */
  readonly env: Readonly<Record<string, string>>;
  /** How a person reads them. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/**
 * A collector of OTLP over HTTP, JSON, that appends each export to a file as a line, like the file exporter of OpenTelemetry's collector.
 * @returns undefined where the environment names a collector, or the port is in use: the log says so
 */
export async function keepTraces({ env, dataDir, portBase, log }: KeepTracesOptions): Promise<KeptTraces | undefined> {
  const given = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const port = portBase + collectorDistance;
  if (given !== undefined && given !== '') {
    log(`Traces: sent to ${given}, as the environment says.`);
    return undefined;
  }
  if (!(await isPortFree(port))) {
    log(`Traces: not kept, port ${port} is in use by another program.`);
    return undefined;
  }
  const file = traceFileOf(dataDir);
  mkdirSync(dataDir, { recursive: true });
  const server = createServer((req, res) => void take(file, req, res).catch(() => res.destroy()));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const own = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_TRACES_SAMPLER_ARG: env['OTEL_TRACES_SAMPLER_ARG'] ?? '1',
  };
  return {
    env: own,
    lines: [`Traces      npm run trace -- OPERATION_ID, some seconds after the write (${file})`],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function take(file: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const line = lineOf(await text(req));
  const isTaken = req.method === 'POST' && req.url === '/v1/traces' && line !== undefined;
  if (isTaken) append(file, line);
  res.statusCode = isTaken ? 200 : 400;
  res.setHeader('Content-Type', 'application/json').end('{}');
}

/** The document without line breaks; undefined for what is no JSON. */
function lineOf(body: string): string | undefined {
  try {
    return `${JSON.stringify(JSON.parse(body))}\n`;
  } catch {
    return undefined;
  }
}

function append(file: string, line: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const flag = size + line.length > bytesMax ? 'w' : 'a';
  writeFileSync(file, line, { mode: 0o600, flag });
}
