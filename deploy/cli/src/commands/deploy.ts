import { SluiceApiError } from '@sluice/client';
import type { Integration, IntegrationPreview } from '@sluice/types';
import { argument, asking, option } from '../command';
import { CommandFailure } from '../failure';
import { table } from '../output/print';
import { given, readInput } from '../read-options';

interface DeployOptions {
  readonly destructive?: boolean;
  readonly dryRun?: boolean;
}

const empty = 'The manifest names no integration.';
const deployed = table<Integration>(empty, [
  ['integration', 'name'],
  'provider',
  'id',
  ['revision', ({ latestRevision }) => latestRevision.id],
]);
const previewed = table<IntegrationPreview>(empty, [['integration', 'name'], 'provider', 'change']);

/** `sluice deploy <file>`: only the server parses the manifest, and reports each error with line and column. */
export const deploy = asking({
  about: 'deploy a manifest, YAML or JSON',
  takes: [
    argument('<file>', 'the manifest; - reads it from standard input'),
    option(
      '--destructive',
      'stop reading, in every installation, the objects that the manifest removes; deletes nothing',
    ),
    option('--dry-run', 'deploy nothing: show what would change'),
  ],
  ask: async ({ management }, { destructive, dryRun }: DeployOptions, file) => {
    const body = { sourceYaml: await readInput(file) };
    try {
      if (dryRun === true) return (await management.previewManifest({ body })).integrations;
      return await management.deployManifest({ body, ...given({ destructive }) });
    } catch (error) {
      throw refusalOf(error, file);
    }
  },
  show: (found) => (isPreview(found) ? previewed(found) : deployed(found)),
});

function isPreview(found: readonly object[]): found is readonly IntegrationPreview[] {
  return found.every((each) => 'change' in each);
}

/** Each issue in the form of a compiler: `sluice.yaml:3:5: integrations[0].name …`. */
function refusalOf(error: unknown, file: string): unknown {
  if (!(error instanceof SluiceApiError) || error.issues.length === 0) return error;
  const lines = error.issues.map(({ name, detail }) => {
    const [, line, column] = /\(line (\d+), column (\d+)\)$/.exec(detail) ?? [];
    const message = detail.replace(/ \(line \d+, column \d+\)$/, '');
    const location = line === undefined ? file : `${file}:${line}:${column}`;
    return `${location}: ${name === 'sourceYaml' ? message : `${name} ${message}`}`;
  });
  return new CommandFailure(lines);
}
