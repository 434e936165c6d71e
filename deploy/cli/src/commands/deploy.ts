import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { SluiceApiError, type SluiceClient } from '@sluice/client';
import { CommandFailure } from '../failure';
import { print, renderTable } from '../output/print';
import { connect, type GivenOptions } from '../profiles/connect';

interface DeployOptions extends GivenOptions {
  /** Pauses reads of what the manifest removes. No deployment deletes an integration. */
  readonly destructive?: boolean;
  /** Shows what would become of each integration. */
  readonly dryRun?: boolean;
}

/** `sluice deploy <file>`: only the server parses the manifest, and reports each error with line and column. */
export async function run([file = '']: readonly string[], options: DeployOptions): Promise<void> {
  const sourceYaml = file === '-' ? await text(process.stdin) : readManifest(file);
  const { management } = await connect(options);
  if (options.dryRun === true) return await preview(management, { file, sourceYaml }, options);
  const destructive = options.destructive === true ? { destructive: true } : {};
  const deployed = await management.deployManifest({ body: { sourceYaml }, ...destructive }).catch((error: unknown) => {
    throw refusalOf(error, file);
  });
  print(options, deployed, () =>
    renderTable(
      deployed,
      [
        ['INTEGRATION', ({ name }) => name],
        ['PROVIDER', ({ provider }) => provider],
        ['ID', ({ id }) => id],
        ['REVISION', ({ latestRevision }) => latestRevision.id],
      ],
      'The manifest names no integration.',
    ),
  );
}

interface Source {
  readonly file: string;
  readonly sourceYaml: string;
}

async function preview(
  management: SluiceClient['management'],
  { file, sourceYaml }: Source,
  options: GivenOptions,
): Promise<void> {
  const { integrations } = await management.previewManifest({ body: { sourceYaml } }).catch((error: unknown) => {
    throw refusalOf(error, file);
  });
  print(options, integrations, () =>
    renderTable(
      integrations,
      [
        ['INTEGRATION', ({ name }) => name],
        ['PROVIDER', ({ provider }) => provider],
        ['CHANGE', ({ change }) => change],
      ],
      'The manifest names no integration.',
    ),
  );
}

function readManifest(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${code ?? String(error)}`,
    );
  }
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
  return new CommandFailure(lines.join('\n'));
}
