import { checkFile } from './architecture/check-file';
import { outgoingOf, outgoingRows, runsInServices } from './architecture/outgoing';
import { exportedEntries, levels, testkit } from './architecture/rules';
import { bootstrapFiles, packageFolders, readText, sourceFiles } from './architecture/source-tree';

describe('the tree', () => {
  const files = sourceFiles();

  it('keeps every rule of docs/contributing/conventions.md, section 1', () => {
    expect(files.flatMap((path) => checkFile(path, readText(path)))).toEqual([]);
  });

  it('was walked at all', () => {
    expect(files).toContain('libs/errors/src/index.ts');
    expect(files).toContain('tests/architecture.test.ts');
  });

  it('has a level for every package', () => {
    expect(packageFolders().sort()).toEqual([...Object.keys(levels), testkit].sort());
  });

  it('exports one entry per package', () => {
    const odd = packageFolders().filter((folder) => {
      const manifest = JSON.parse(readText(`${folder}/package.json`)) as { exports?: Record<string, unknown> };
      const entries = Object.keys(manifest.exports ?? {});
      return !entries.includes('.') || entries.some((entry) => !exportedEntries(folder).includes(entry));
    });
    expect(odd).toEqual([]);
  });

  it('gives the client no dependency at run time: of other packages it imports types', () => {
    const sources = files.filter((path) => path.startsWith('libs/client/src/') && !path.endsWith('.test.ts'));
    const imports = sources.flatMap((path) => [
      ...readText(path).matchAll(/^(?:import|export) (.*?) ?from '([^']+)';$/gms),
    ]);
    const atRunTime = imports.filter(
      ([, names = '', from = '']) => !from.startsWith('.') && !names.startsWith('type '),
    );
    expect(imports.length).toBeGreaterThan(0);
    expect(atRunTime.map(([statement]) => statement)).toEqual([]);
  });

  it('starts without anything installed: the bootstrap imports Node and itself only', () => {
    const scripts = bootstrapFiles();
    expect(scripts).toContain('deploy/local/bootstrap.mjs');
    for (const script of scripts) {
      const imported = [...readText(script).matchAll(/^import .* from '([^']+)';$/gm)].map((match) => match[1] ?? '');
      expect(imported.filter((name) => !/^(node:|\.\/)/.test(name))).toEqual([]);
      expect(imported.length).toBeGreaterThan(0);
    }
  });

  // A word it does not know ends a Node before it has run a line, with a message about that word.
  it('reports an old Node: the entry point imports the rest late, and has no syntax that Node 12 does not know', () => {
    const wayIn = readText('deploy/local/bootstrap.mjs');
    expect([...wayIn.matchAll(/^import .*$/gm)].map(([line]) => line)).toEqual([`import process from 'node:process';`]);
    expect(wayIn).not.toMatch(/\bawait\b|\?\?|\?\.|\|\|=|&&=/);
  });
});

// A checker that finds nothing passes on every tree, so each rule is tried on a violation.
describe('the checker', () => {
  const broken: [rule: string, path: string, text: string, message: RegExp][] = [
    ['an import upwards', 'libs/types/src/a.ts', `import { x } from '@sluice/store';`, /imports go down only/],
    [
      'an import on the same level',
      'libs/http/src/a.ts',
      `import type { x } from '@sluice/store';`,
      /never to the same level/,
    ],
    ['another service', 'services/search/src/a.ts', `export { x } from '@sluice/executor';`, /imports go down only/],
    [
      'connectors in the sandbox',
      'deploy/sandbox/src/a.ts',
      `import '@sluice/connectors';`,
      /imitates providers on its own/,
    ],
    [
      'connectors in a test of the sandbox',
      'deploy/sandbox/test/a.test.ts',
      `import '@sluice/connectors';`,
      /imitates/,
    ],
    ['the testkit in a source', 'libs/store/src/a.ts', `import '@sluice/testkit';`, /only tests import the testkit/],
    ['a service in the testkit', 'libs/testkit/src/a.ts', `import '@sluice/search';`, /imports go down only/],
    ['a deep import', 'services/search/src/a.ts', `import '@sluice/types/src/object';`, /nothing deeper/],
    ['an unknown package', 'services/search/src/a.ts', `import '@sluice/util';`, /no such package/],
    [
      'a relative path out of a package',
      'libs/http/src/a.ts',
      `import '../../store/src/b';`,
      /lead out of its package/,
    ],
    ['express elsewhere', 'services/search/src/a.ts', `import express from 'express';`, /only libs\/http/],
    ['a file of knex elsewhere', 'libs/writes/src/a.ts', `import 'knex/lib/client';`, /only libs\/store/],
    ['an OpenTelemetry SDK', 'libs/store/src/a.ts', `import '@opentelemetry/sdk-node';`, /only libs\/telemetry/],
    ['require', 'libs/http/src/a.ts', `const pg = require('pg');`, /only libs\/store/],
    ['import()', 'libs/http/src/a.ts', `export const load = () => import('pg');`, /only libs\/store/],
    ['import x = require', 'libs/http/src/a.ts', `import pg = require('pg');`, /only libs\/store/],
    ['a type import', 'libs/http/src/a.ts', `export type P = import('pg').Pool;`, /only libs\/store/],
    ['process.env', 'libs/http/src/a.ts', `export const a = process.env.A;`, /only libs\/config/],
    ['process["env"]', 'libs/http/src/a.ts', `export const a = process['env'];`, /only libs\/config/],
    ['env of process', 'libs/http/src/a.ts', `const { env } = process;`, /only libs\/config/],
    ['a queue of a baseline', 'services/search/src/a.ts', `import { Queue } from 'bullmq';`, /only tests\/load/],
    ['a path out of the benchmark', 'tests/load/src/a.ts', `import '../../harness/stack';`, /lead out of its package/],
    ['the benchmark in a package', 'deploy/local/src/a.ts', `import '@sluice/load';`, /imports go down only/],
    [
      'a noun by its back door',
      'libs/store/src/installations/a.ts',
      `import '../connections/ensure-lane';`,
      /the door of connections is/,
    ],
    [
      'a noun without a door',
      'services/management/src/webhooks/a.ts',
      `import '../operations/get-operation';`,
      /is closed/,
    ],
    [
      'a noun above',
      'libs/store/src/webhooks/a.ts',
      `import type { A } from '../writes/write-rows';`,
      /order of nouns/,
    ],
    ['a folder that is no noun', 'libs/store/src/things/a.ts', `import '../page';`, /is no noun/],
    ['env of node:process', 'libs/http/src/a.ts', `import { env } from 'node:process';`, /only libs\/config/],
  ];
  const allowed: [what: string, path: string, text: string][] = [
    ['the testkit in a test', 'libs/store/src/a.int.test.ts', `import '@sluice/testkit';`],
    ['a relative path inside', 'libs/http/src/deep/a.ts', `import '../../src/b';`],
    ['the door of a noun', 'libs/store/src/installations/a.ts', `import '../connections/connection-row';`],
    ['what stands beside the nouns', 'libs/store/src/installations/a.ts', `import '../page';`],
    ['a noun in what joins them', 'libs/store/src/store.ts', `import './connections/ensure-lane';`],
    ['the OpenTelemetry API', 'libs/store/src/a.ts', `import '@opentelemetry/api';`],
    ['process.env in its place', 'libs/config/src/a.ts', `export const a = process.env.A;`],
    ['OTEL_* in its place', 'libs/telemetry/src/register.ts', `export const a = process.env.A;`],
    ['Express in a baseline', 'tests/load/src/a.ts', `import express from 'express';`],
    ['the testkit in the benchmark', 'tests/load/src/a.ts', `import '@sluice/testkit';`],
    ['a name in a comment', 'libs/http/src/a.ts', `// import 'pg'; process.env`],
  ];

  it.each(broken)('reports %s', (_rule, path, text, message) => {
    const problems = checkFile(path, text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
    expect(problems[0]).toContain(path);
  });

  it.each(allowed)('lets pass %s', (_what, path, text) => {
    expect(checkFile(path, text)).toEqual([]);
  });
});

// Protects the inside of the network and the memory: what connects to an address of somebody else's choice has three bounds.
describe('[sec-16] who opens connections from a service', () => {
  const rows = outgoingRows(readText('docs/guides/security.md'));
  const openers = sourceFiles()
    .filter(runsInServices)
    .map((path) => ({ path, by: outgoingOf(readText(path)) }))
    .filter(({ by }) => by.length > 0);

  it('stands in the table of docs/guides/security.md, and nobody else does', () => {
    const named = rows.flatMap(({ files }) => files);
    expect(openers.filter(({ path }) => !named.includes(path))).toEqual([]);
    expect(named.filter((path) => !openers.some((opener) => opener.path === path))).toEqual([]);
    expect(named).toHaveLength(new Set(named).size);
  });

  it('has a row with an egress policy, a bound of bytes and one of time, where a caller or a provider chooses the address', () => {
    const guarded = rows.filter(({ chosenBy }) => chosenBy !== 'operator');
    expect(guarded.length).toBeGreaterThan(3);
    for (const row of guarded)
      expect(row).toMatchObject({
        egress: expect.stringMatching(/TLS/) as string,
        bytes: expect.stringMatching(/\d [KM]iB/) as string,
        time: expect.stringMatching(/\d s|`SLUICE_\w+_MS`/) as string,
      });
  });

  it.each([
    `import { request } from 'node:https';`,
    `import { get as load } from 'http';`,
    `import * as net from 'node:net';`,
    `import tls from 'node:tls';`,
    `import 'undici';`,
    `import { isIP, connect } from 'node:net';`,
    `import axios from 'axios';`,
    `import { spawn } from 'node:child_process';`,
    `export { request } from 'node:http';`,
    `export * from 'node:http2';`,
    `const load = async () => (await import('node:net')).connect(1);`,
    `const { Client } = require('undici/lib/dispatcher/client.js');`,
    `import net = require('node:net');`,
    `export const load = (name: string) => import(name);`,
    `export const load = (url: string) => fetch(url);`,
    `export const load = { fetch };`,
    `export const load = globalThis['fetch'];`,
    `const { fetch: load } = globalThis;`,
    `export const load = (fetcher = fetch) => fetcher('x');`,
    `export const socket = new WebSocket('wss://example.com');`,
    `export const http = process.getBuiltinModule('node:http');`,
    `import { createRequire } from 'node:module';`,
    `import { guardedAgent } from '@sluice/connectors';`,
    `import { Agent } from '../http-agent';`,
  ])('is found: %s', (text) => {
    expect(outgoingOf(text)).not.toEqual([]);
  });

  it.each([
    `import type { Socket } from 'node:net';`,
    `import { type Socket, isIP } from 'node:net';`,
    `import { createServer } from 'node:http';`,
    `import type { Dispatcher } from 'undici';`,
    `import { randomUUID } from 'node:crypto';`,
    `import { readFile } from 'fs/promises';`,
    `export type A = import('node:net').Socket;`,
    `// fetch('x') and require('net')`,
    `export const a = "fetch('x')";`,
    `export const a = cache.fetch('x');`,
    `import { createStore } from '@sluice/store';`,
  ])('is not found: %s', (text) => {
    expect(outgoingOf(text)).toEqual([]);
  });
});
