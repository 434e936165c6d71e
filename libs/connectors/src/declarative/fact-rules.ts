import { nearestName, type YamlIssue } from '@sluice/config';
import type { Declaration } from './declaration';

/** Parts that state facts about a provider's wire. */
const stated = [
  'baseUrl',
  'auth',
  'account',
  'objects',
  'create',
  'update',
  'search',
  'fields',
  'errors',
  'signals',
  'waits',
  'rate',
] as const satisfies readonly (keyof Declaration)[];

/** Each stated part has a fact, and each fact leads to something: `create`, or inside it `create.reply`. */
export function factIssues(file: Declaration): YamlIssue[] {
  const named = Object.keys(file.facts);
  const missing = stated
    .filter((part) => file[part] !== undefined && !named.includes(part))
    .map((part) => ({ steps: ['facts'], rule: `says nothing of ${part}` }));
  const astray = named
    .filter((path) => !leadsSomewhere(file, path.split('.')))
    .map((path) => ({ steps: ['facts', path], rule: astrayRule(path) }));
  return [...missing, ...astray];
}

function leadsSomewhere(value: unknown, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
  return leadsSomewhere((value as Readonly<Record<string, unknown>>)[step], rest);
}

function astrayRule(path: string): string {
  const nearest = nearestName(path, stated);
  return nearest === undefined
    ? 'leads to nothing in this file'
    : `leads to nothing in this file; did you mean ${nearest}?`;
}
