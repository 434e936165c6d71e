import { join } from 'node:path';
import { writePrivateFile } from '@sluice/stack';
import { readJson } from '../run-folder/run-record';
import type { Addresses } from '../service-ports';

/** One integration that is installed and connected: everything a write or a search names. */
export interface DemoIntegration {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  readonly groupRef: string;
  readonly installationId: string;
  readonly connectionId: string;
}

/** `demo.json`: what a program needs to use the running stack. */
export interface Demo extends Omit<Addresses, 'sandboxUrl'> {
  /** Absent after `npm run connect`: there is no sandbox. */
  readonly sandboxUrl?: string;
  readonly adminKey: string;
  readonly project: { readonly id: string; readonly name: string };
  /** Scope `full`. */
  readonly apiKey: string;
  readonly integrations: readonly DemoIntegration[];
}

export function demoFileOf(folder: string): string {
  return join(folder, 'demo.json');
}

/** Readable for its owner only: it holds keys. */
export function writeDemoFile(folder: string, demo: Demo): void {
  writePrivateFile(demoFileOf(folder), demo);
}

/** What an earlier run wrote; undefined when there is nothing. */
export function readDemoFile(folder: string): Demo | undefined {
  return readJson(demoFileOf(folder)) as Demo | undefined;
}
