import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@sluice/stack';
import { observabilityFiles } from './observability/observability-files';
import { providerPages } from './provider-pages';
import { readDocuments, type ApiName } from './read-documents';
import { renderClient, renderClientTypes } from './render-client';

/** Every file that is made of the routes, or of the tables of metrics, alerts and failures: path (from the root of the repository) to text. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const known = exportedTypes(join(repositoryRoot, 'libs/types/src'));
  const contracts = Object.entries(await readDocuments());
  const sources = contracts.map(([name, { document }]) => renderClient(name as ApiName, document, known));
  const files = contracts.flatMap(([name, { document }], at): [string, string][] => [
    [`docs/api/${name}.openapi.json`, `${JSON.stringify(document, undefined, 2)}\n`],
    [`libs/client/src/generated/${name}.ts`, sources[at] ?? ''],
  ]);
  const types = { 'libs/client/src/generated/types.ts': renderClientTypes(sources) };
  return { ...Object.fromEntries(files), ...types, ...observabilityFiles(), ...providerPages() };
}

/** Names of the types that the types lib exports: listed in its index, or of a module that is public as a whole. */
function exportedTypes(folder: string): ReadonlySet<string> {
  const read = (module: string): string => readFileSync(join(folder, `${module}.ts`), 'utf8');
  const namesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
  const index = read('index');
  const modules = namesIn(index, /export \* from '\.\/([\w-]+)'/g);
  const ofModules = modules.flatMap((module) => namesIn(read(module), /^export (?:interface|type) (\w+)/gm));
  return new Set([...namesIn(index, /\btype (\w+)/g), ...ofModules]);
}
