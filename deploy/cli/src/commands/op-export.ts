import { writeFileSync } from 'node:fs';
import { toExport } from '@sluice/types';
import { CommandFailure } from '../failure';
import { connect, type GivenOptions } from '../profiles/connect';
import { readExplanation } from './op-explain';

interface ExportOptions extends GivenOptions {
  readonly out?: string;
}

/** `sluice op export <id>`: always one JSON document. */
export async function run([operationId = '']: readonly string[], { out, ...options }: ExportOptions): Promise<void> {
  const { management } = await connect(options);
  const document = `${JSON.stringify(toExport(await readExplanation(management, operationId)), null, 2)}\n`;
  if (out === undefined) return void process.stdout.write(document);
  try {
    writeFileSync(out, document, { mode: 0o600 });
  } catch (error) {
    throw new CommandFailure(`${out} cannot be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
  if (options.json === true) return void process.stdout.write(`${JSON.stringify({ file: out })}\n`);
  const port = '127.0.0.1:9229:9229';
  process.stdout.write(`Written to ${out}, without values and credentials. Replay it with an executor alone:
  docker run --rm -i sluice/executor node dist/replay.js < ${out}
with an inspector that waits for you:
  docker run --rm -i -p ${port} sluice/executor node --inspect-brk=0.0.0.0:9229 dist/replay.js < ${out}
`);
}
