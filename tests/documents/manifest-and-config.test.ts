import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configContentSchema, manifestSchema } from '@sluice/types';

const page = readFileSync(join(__dirname, '../../docs/guides/manifest-and-config.md'), 'utf8');
const [, manifestPart = '', configPart = ''] = page.split(/^## .*$/m);

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

/** What the page sums up as "stored only" is named, and not its members. */
const isStoredOnly = (name: string, { description = '' }: Schema) =>
  description.includes('Stored only') || ['backfill', 'fieldFilters'].includes(name);

function membersOf({ properties = {}, additionalProperties, items }: Schema): string[] {
  const own = Object.entries(properties).flatMap(([name, member]) =>
    isStoredOnly(name, member) ? [name] : [name, ...membersOf(member)],
  );
  const others = typeof additionalProperties === 'object' ? membersOf(additionalProperties) : [];
  return [...own, ...others, ...(items ? membersOf(items) : [])];
}

// A member that the reference lacks is one that a builder has to find in the source.
it.each([
  ['manifest', manifestSchema, manifestPart],
  ['config', configContentSchema, configPart],
] as const)('names every member of the %s', (_, schema, text) => {
  const members = membersOf(schema as Schema);
  expect(members.length).toBeGreaterThan(20);
  const named = new Set([...text.matchAll(/`([\w.]+)`/g)].flatMap(([, name = '']) => name.split('.')));
  expect(members.filter((member) => !named.has(member))).toEqual([]);
});
