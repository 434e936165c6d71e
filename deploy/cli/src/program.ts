import { Argument, Command as Program } from 'commander';
import { argument, option, type Command, type Group } from './command';
import { connect } from './commands/connect';
import { connections } from './commands/connections';
import { deploy } from './commands/deploy';
import { installations } from './commands/installations';
import { integrations } from './commands/integrations';
import { keys } from './commands/keys';
import { lanes } from './commands/lanes';
import { mcp } from './commands/mcp';
import { operations } from './commands/operations';
import { profile } from './commands/profile';
import { providerApps } from './commands/provider-apps';
import { webhooks } from './commands/webhooks';
import { write } from './commands/write';
import { CommandFailure, exitCodes } from './failure';
import { version } from './version';

const cells: Command = {
  about: 'write the files of a router in front of several Sluices (cells); for operators, with SLUICE_ADMIN_KEY',
  takes: [
    argument('<table>', 'the cells, YAML'),
    option('--out <folder>', 'where to write haproxy.cfg and projects.map', '.'),
  ],
  // Loaded when it runs: no other command reads YAML.
  run: async (options, file) => (await import('./cells/write-router.js')).writeRouter(options, file),
};

/** In the order of the help. */
const commands: Readonly<Record<string, Command | Group>> = {
  deploy,
  integrations,
  installations,
  connections,
  connect,
  write,
  mcp,
  op: operations,
  lanes,
  keys,
  'provider-apps': providerApps,
  webhooks,
  profile,
  cells,
};

/** Commands that are gone, with what to use instead. */
const retired = {
  completion: 'Every command with its options is listed by: sluice --help.',
  export:
    'What happened to each record: sluice op explain <operationId>; the failed records: sluice op records <operationId> --failed --csv.',
};

const footer = `
Where it goes: --profile, else SLUICE_URL and SLUICE_API_KEY, else the profile in use (sluice profile --help).
Exit codes: 0 done; 1 refused, not reached or malformed; 2 wrong usage; op watch: 3 ended as failure, 4 still in progress.`;

/**
 * Every command of `sluice`, with its help.
 * @param end gets the exit code of the command that ran
 */
export function createProgram(end: (code: number) => void): Program {
  const program = new Program('sluice')
    .description('The command line of Sluice.')
    .version(version)
    .option('--profile <profile>', 'use this profile')
    .option('--project <idOrName>', "work in this project; default: the profile's, else the key's own")
    .option('--json', 'print one JSON document, for scripts')
    .addHelpText('after', footer)
    .showSuggestionAfterError(false)
    // Main prints it, in one line.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  for (const [name, each] of Object.entries(commands)) {
    if ('run' in each) add(program, name, each);
    else {
      const group = program.command(name).description(each.about);
      for (const [own, command] of Object.entries(each.commands)) add(group, own, command);
      if (name === 'op') retire(group, 'export');
    }
  }
  retire(program, 'completion');
  return program;

  function add(parent: Program, name: string, { about, takes = [], run }: Command): void {
    const command = parent.command(name, { isDefault: name === 'list' }).description(about);
    for (const each of takes) {
      if (each instanceof Argument) command.addArgument(each);
      else command.addOption(each);
    }
    command.action(async () => {
      end((await run(command.optsWithGlobals<never>(), command.args[0] ?? '')) ?? exitCodes.done);
    });
  }
}

/** Says what to use instead, whatever stands behind it. No help lists it. */
function retire(parent: Program, name: keyof typeof retired): void {
  parent
    .command(name, { hidden: true })
    .argument('[rest...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(() => {
      throw new CommandFailure(`The command ${name} is gone. ${retired[name]}`, exitCodes.usage);
    });
}
