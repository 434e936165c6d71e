import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { openRecordedProviders } from './replay/recorded-provider';
import { readExport } from './replay/read-export';
import { renderReplay } from './replay/render-replay';
import { replayOperation } from './replay/replay-operation';

const usage = `node dist/replay.js [file]
  Decides again what was decided of an operation, from the file that "sluice op export" wrote; without a file from standard
  input. Needs no database, no broker and no account: the recorded answers stand in. Exit code: 0 every decision is as
  recorded, 1 one differs, or the file is no export.
  With an inspector: node --inspect-brk=0.0.0.0:9229 dist/replay.js [file]
`;

/** In an image: `docker run --rm -i sluice/executor node dist/replay.js < operation.json`. */
async function replay(args: readonly string[]): Promise<number> {
  const [file, ...more] = args;
  if (more.length > 0 || file === '--help') {
    process.stdout.write(usage);
    return more.length > 0 ? 2 : 0;
  }
  const exported = readExport(
    file === undefined || file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8'),
  );
  const providers = await openRecordedProviders();
  try {
    const replayed = await replayOperation(exported, providers);
    process.stdout.write(`${renderReplay(exported, replayed)}\n`);
    return replayed.steps.every(({ differs }) => differs === undefined) ? 0 : 1;
  } finally {
    await providers.close();
  }
}

async function main(): Promise<void> {
  try {
    process.exitCode = await replay(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

void main();
