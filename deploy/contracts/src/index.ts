import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@sluice/stack';

export { alerts, renderRules } from './observability/alerts';
export { dashboards } from './observability/observability-files';

/**
 * `npm run generate:client`: writes the OpenAPI documents, the code of the client, the page of metrics, alert rules and dashboards.
 * @returns the exit code
 */
export async function run(): Promise<number> {
  // Loaded when it is called: it brings the services along.
  const { generatedFiles } = await import('./generated-files.js');
  for (const [path, text] of Object.entries(await generatedFiles())) {
    const file = join(repositoryRoot, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`${path}\n`);
  }
  return 0;
}
