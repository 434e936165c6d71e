import type { Command } from 'commander';
import { Option } from 'commander';
import type { Lazily } from './program';

/** `sluice op …`: operations from their list to the replay of one. */
export function addOperationCommands(program: Command, lazily: Lazily): void {
  const op = program.command('op').description('list, watch, explain, export, cancel and replay operations');
  op.command('list', { isDefault: true })
    .description('list operations, newest first')
    .addOption(new Option('--status <status>', 'only of this status').choices(['in_progress', 'success', 'failure']))
    .option('--group <ref>', 'only of this group')
    .option('--object <name>', 'only of this object')
    .option('--since <when>', 'only those accepted since: 30m, 12h, 2d, or a moment such as 2026-01-31T08:00:00Z')
    .option('--limit <count>', 'most operations', '20')
    .action(lazily(async () => ({ run: (await import('./commands/op-list.js')).list })));
  const one = (name: string, description: string) =>
    op.command(name).description(description).argument('<operationId>', 'as the reply of the write gave it');
  one('describe', 'show an operation and its records').action(
    lazily(async () => ({ run: (await import('./commands/op-list.js')).describe })),
  );
  one('watch', 'follow an operation, or the batch that it is, to its end')
    .option('--timeout <seconds>', 'leave after this long, with exit code 4')
    .action(lazily(() => import('./commands/op-watch.js')));
  one('explain', 'what happened to each record and why')
    .option('--record <index>', 'only this record')
    .action(lazily(() => import('./commands/op-explain.js')));
  one('logs', 'the log of an operation').action(
    lazily(async () => ({ run: (await import('./commands/op-list.js')).logs })),
  );
  one('export', 'write what happened to a file, without values and credentials, to be replayed elsewhere')
    .option('--out <file>', 'where to; default: standard output')
    .action(lazily(() => import('./commands/op-export.js')));
  one('cancel', 'end the records that have not been sent').action(
    lazily(async () => ({ run: (await import('./commands/op-change.js')).cancel })),
  );
  one('replay', 'write the failed records again, as a new operation')
    .option('--force', 'also those of unknown outcome: the provider may then have them twice')
    .action(lazily(async () => ({ run: (await import('./commands/op-change.js')).replay })));
}
