import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@sluice/stack';
import { observabilityFiles } from './observability/observability-files';
import { readDocuments, type ApiName } from './read-documents';
import { renderClient, renderClientTypes } from './render-client';

/** Every file that is made of the routes, or of the tables of metrics and alerts: path (from the root of the repository) to text. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const known = exportedTypes(readFileSync(join(repositoryRoot, 'libs/types/src/index.ts'), 'utf8'));
  const contracts = Object.entries(await readDocuments());
  const sources = contracts.map(([name, { document }]) => renderClient(name as ApiName, document, known));
  const files = contracts.flatMap(([name, { document }], at): [string, string][] => [
    [`docs/api/${name}.openapi.json`, `${JSON.stringify(document, undefined, 2)}\n`],
    [`libs/client/src/generated/${name}.ts`, sources[at] ?? ''],
  ]);
  const types = { 'libs/client/src/generated/types.ts': renderClientTypes(sources) };
  return { ...Object.fromEntries(files), ...types, ...observabilityFiles() };
}

/** Names that the index of the types lib exports as types. */
function exportedTypes(index: string): ReadonlySet<string> {
  const lists = [...index.matchAll(/export (type )?\{([^}]*)\}/g)];
  const names = lists.flatMap(([, isTypes, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (isTypes !== undefined || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '')),
  );
  return new Set(names);
}
