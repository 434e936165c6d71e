import { isBuiltin } from 'node:module';
import { readUses } from './source-file';

/** What runs in a service. The client runs elsewhere, at an address that its user chose. */
export const runsInServices = (path: string): boolean =>
  /^(?:libs|services)\/(?!client\/|testkit\/)[^/]+\/src\/.*\.[cm]?tsx?$/.test(path) && !/\.test\.tsx?$/.test(path);

/** Modules that open no connection. Any other one may: a new dependency is in no list. */
const silent: ReadonlySet<string> = new Set(
  `node:assert/strict node:async_hooks node:buffer node:crypto node:events node:fs node:fs/promises node:os node:path node:perf_hooks
  node:timers/promises node:util node:v8 node:zlib @opentelemetry/api @opentelemetry/resources @opentelemetry/sdk-trace ajv ajv-formats
  ajv/dist/2020 express lru-cache markdown-it pino prom-client uuid yaml yauzl`.split(/\s+/),
);
/** What opens none of a module of which other exports do. */
const silentExports: Readonly<Record<string, readonly string[]>> = {
  'node:http': ['createServer', 'STATUS_CODES'],
  'node:net': ['BlockList', 'isIP', 'Server'],
  'node:dns': ['NODATA', 'NOTFOUND'],
  kafkajs: ['logLevel', 'Partitioners'],
};
/** Exports of ours that open one for the address they are given. */
const doors: readonly string[] = ['guardedAgent', 'guardedConnect', 'createBoundedFetch'];
/** The module that has the connections of undici. */
const agentModule = /^\.{1,2}\/(?:.*\/)?http-agent$/;

/** By what a source may open connections to elsewhere: `fetch`, `node:net: connect`; `*`: any export. */
export function outgoingOf(text: string): string[] {
  const { loads, globals } = readUses(text);
  const opened = loads.flatMap(({ module, names }) =>
    names.filter((name) => isOutgoing(module, name)).map((name) => `${module}: ${name}`),
  );
  return [...new Set([...globals, ...opened])];
}

function isOutgoing(module: string, name: string): boolean {
  if (doors.includes(name) || agentModule.test(module)) return true;
  if (module.startsWith('.') || module.startsWith('@sluice/')) return false;
  const known = isBuiltin(module) && !module.startsWith('node:') ? `node:${module}` : module;
  return !silent.has(known) && !silentExports[known]?.includes(name);
}

/** A row of the table of docs/guides/security.md. */
export interface OutgoingRow {
  readonly files: readonly string[];
  /** `operator`, or who else chooses where it leads. */
  readonly chosenBy: string;
  readonly egress: string;
  readonly bytes: string;
  readonly time: string;
}

/** The rows below the heading `Who opens connections`. */
export function outgoingRows(page: string): OutgoingRow[] {
  const [, section = ''] = /^## Who opens connections$([^]*?)^## /m.exec(page) ?? [];
  return [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, line = '']) => {
    const [files = '', , chosenBy = '', egress = '', bytes = '', time = ''] = line.split(' | ');
    return { files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file), chosenBy, egress, bytes, time };
  });
}
