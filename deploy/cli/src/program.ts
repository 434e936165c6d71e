import { Command, Option } from 'commander';
import { CommandFailure, exitCodes } from './failure';

const codes = new WeakMap<Command, number>();

/** What the command that ran ended with. */
export function readCode(program: Command): number {
  return codes.get(program) ?? exitCodes.done;
}

/**
 * What a command does.
 * @param args the positional arguments; those that are required are there
 * @returns the exit code; nothing: done
 */
type RunCommand = (args: readonly string[], options: never) => Promise<number | void>;

/** A command's code is loaded when it runs, so that none pays for the others. */
export type Lazily = (load: () => Promise<{ readonly run: RunCommand }>) => (...all: unknown[]) => Promise<void>;

const footer = `
Where it goes: --profile, else SLUICE_URL and SLUICE_API_KEY, else the profile in use (sluice profile --help).
Exit codes: 0 done; 1 refused, not reached or malformed; 2 wrong usage; op watch: 3 ended as failure, 4 still in progress.`;

/** Every command of `sluice`, with its help. */
export function createProgram(): Command {
  const program = new Command('sluice')
    .description('The command line of Sluice.')
    .version('0.3.0')
    .option('--profile <profile>', 'use this profile')
    .option('--project <idOrName>', "work in this project; default: the profile's, else the key's own")
    .option('--json', 'print one JSON document, for scripts')
    .addHelpText('after', footer)
    .showSuggestionAfterError(false)
    // Main prints it, in one line.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  const lazily: Lazily =
    (load) =>
    async (...all) => {
      const command = all.at(-1) as Command;
      const { run } = await load();
      codes.set(program, (await run(command.args, command.optsWithGlobals<never>())) ?? exitCodes.done);
    };
  addResourceCommands(program, lazily);
  addCustomerCommands(program, lazily);
  addOperationCommands(program, lazily);
  addLaneCommands(program, lazily);
  addKeyCommands(program, lazily);
  addProviderAppCommands(program, lazily);
  addWebhookCommands(program, lazily);
  addProfileCommands(program, lazily);
  program
    .command('cells')
    .description(
      'write the files of a router in front of several Sluices (cells); for operators, with SLUICE_ADMIN_KEY',
    )
    .argument('<table>', 'the cells, YAML')
    .option('--out <folder>', 'where to write haproxy.cfg and projects.map', '.')
    .action(lazily(() => import('./commands/cells.js')));
  retire(program, 'completion', 'Every command with its options is listed by: sluice --help.');
  return program;
}

/** A command that is gone says what to use instead, whatever stands behind it. No help lists it. */
function retire(parent: Command, name: string, instead: string): void {
  parent
    .command(name, { hidden: true })
    .argument('[rest...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(() => {
      throw new CommandFailure(`The command ${name} is gone. ${instead}`, exitCodes.usage);
    });
}

function addResourceCommands(program: Command, lazily: Lazily): void {
  program
    .command('deploy')
    .description('deploy a manifest, YAML or JSON')
    .argument('<file>', 'the manifest; - reads it from standard input')
    .option(
      '--destructive',
      'stop reading, in every installation, the objects that the manifest removes; deletes nothing',
    )
    .option('--dry-run', 'deploy nothing: show what would change')
    .action(lazily(() => import('./commands/deploy.js')));
  const resources = [
    [
      'integrations',
      'integration',
      'id or name',
      'list, describe and delete',
      () => import('./commands/integrations.js'),
    ],
    ['installations', 'installation', 'id', 'list and describe', () => import('./commands/installations.js')],
    ['connections', 'connection', 'id', 'list, describe and renew', () => import('./commands/connections.js')],
  ] as const;
  for (const [plural, singular, name, verbs, load] of resources) {
    const isDeletable = plural === 'integrations';
    const group = program.command(plural).description(`${verbs} ${plural}`);
    const list = group.command('list', { isDefault: true }).description(`list the ${plural}`);
    if (plural !== 'integrations') list.option('--group <ref>', 'only of this group');
    if (plural === 'connections') list.option('--provider <name>', 'only of this provider');
    if (plural === 'installations') list.option('--integration <idOrName>', 'only of this integration');
    list.action(lazily(async () => ({ run: (await load()).list })));
    group
      .command('describe')
      .description(`show one ${singular}`)
      .argument('<id>', name)
      .action(lazily(async () => ({ run: (await load()).describe })));
    if (plural === 'connections') {
      group
        .command('reconnect')
        .description("print the address where the customer's browser gives a connection new credentials")
        .argument('<id>', name)
        .action(lazily(async () => ({ run: (await import('./commands/connections.js')).reconnect })));
    }
    if (!isDeletable) continue;
    group
      .command('delete')
      .description('delete an integration with its installations and their connections, once its name is typed')
      .argument('<id>', name)
      .option('--dry-run', 'show what would be deleted, and delete nothing')
      .option('--yes <name>', 'the name of the integration, for use without a terminal')
      .action(lazily(async () => ({ run: (await import('./commands/integrations.js')).remove })));
  }
}

/** `sluice connect` and `sluice write`: what a builder's backend does, tried by hand. */
function addCustomerCommands(program: Command, lazily: Lazily): void {
  program
    .command('connect')
    .description(
      "connect a customer's account: prints an address for the customer's browser, or takes a key that you have",
    )
    .argument('<provider>', 'hubspot, salesforce, …')
    .requiredOption('--group <ref>', 'the customer, as you name it')
    .requiredOption('--consumer <ref>', 'the person of the customer who connects, as you name them')
    .option('--workspace <ref>', 'the account at the provider, where the provider asks for it')
    .option('--app <id>', 'the provider app; default: the newest of this provider')
    .addOption(new Option('--api-key', 'ask for an API key of the customer').conflicts('accessToken'))
    .option('--access-token', 'ask for an access token of the customer')
    .option('--wait <seconds>', 'wait until the customer has connected; else exit code 4')
    .action(lazily(() => import('./commands/connect.js')));
  program
    .command('write')
    .description('write one record into the account of a customer, or show what would be written')
    .argument('<object>', 'contacts, Contact, …')
    .requiredOption('--integration <idOrName>', 'with this integration')
    .requiredOption('--group <ref>', 'for this customer')
    .addOption(
      new Option('--type <type>', 'what to do with the record')
        .choices(['create', 'update', 'delete'])
        .default('create'),
    )
    .option('--record <file>', 'the record, a JSON object; - reads it from standard input', '-')
    .option('--dry-run', 'show each field as it would be sent, with mappings and defaults, and write nothing')
    .option('--asynchronous', 'accept it now and write it later')
    .option('--idempotency-key <key>', 'a repeat with the same key writes nothing twice')
    .action(lazily(() => import('./commands/write.js')));
}

function addProviderAppCommands(program: Command, lazily: Lazily): void {
  const apps = program.command('provider-apps').description('manage your OAuth apps at the providers');
  const load = () => import('./commands/provider-apps.js');
  const one = (name: string, description: string) => apps.command(name).description(description).argument('<id>', 'id');
  apps
    .command('list', { isDefault: true })
    .description('list the provider apps')
    .action(lazily(async () => ({ run: (await load()).list })));
  one('describe', 'show one provider app; its secret is never shown').action(
    lazily(async () => ({ run: (await load()).describe })),
  );
  apps
    .command('create')
    .description('add an app; its client secret is asked for, or read from standard input')
    .argument('<provider>', 'hubspot, salesforce, …')
    .requiredOption('--client-id <id>', 'as the provider shows it')
    .option('--scope <scopes...>', 'what customers are asked to allow')
    .action(lazily(async () => ({ run: (await load()).create })));
  one('secret', 'replace the client secret; it is asked for, or read from standard input').action(
    lazily(async () => ({ run: (await load()).secret })),
  );
  one('delete', 'delete a provider app').action(lazily(async () => ({ run: (await load()).remove })));
}

const webhookEvents = ['write.async.done', 'connection.*', 'installation.*', 'endpoint.disabled'];

function addWebhookCommands(program: Command, lazily: Lazily): void {
  const webhooks = program.command('webhooks').description('manage webhook endpoints, and see what became of messages');
  const load = () => import('./commands/webhooks.js');
  const one = (name: string, description: string) =>
    webhooks.command(name).description(description).argument('<id>', 'id of the endpoint');
  webhooks
    .command('list', { isDefault: true })
    .description('list the endpoints')
    .action(lazily(async () => ({ run: (await load()).list })));
  one('describe', 'show one endpoint').action(lazily(async () => ({ run: (await load()).describe })));
  webhooks
    .command('create')
    .description('add an endpoint; prints the secret that its receiver verifies with')
    .argument('<url>', 'where messages go: https://app.example.com/sluice')
    .option('--event <types...>', `only these: ${webhookEvents.join(', ')}, or one of a kind: connection.error`)
    .option('--description <text>', 'what it is for')
    .action(lazily(async () => ({ run: (await load()).create })));
  one('test', 'send a message for trial').action(lazily(async () => ({ run: (await load()).test })));
  one('messages', 'list the messages of an endpoint, newest first; with --message the attempts of one')
    .addOption(new Option('--status <status>', 'only of this status').choices(['pending', 'delivered', 'failed']))
    .option('--message <messageId>', 'the attempts of this one')
    .option('--limit <count>', 'most messages', '20')
    .action(lazily(async () => ({ run: (await load()).messages })));
  one('replay', 'send what failed again: one message, or all')
    .option('--message <messageId>', 'only this one')
    .option('--since <when>', 'only those created since: 30m, 12h, 2d, or a moment such as 2026-01-31T08:00:00Z')
    .action(lazily(async () => ({ run: (await load()).replay })));
  one('secret', 'print the secret').action(lazily(async () => ({ run: (await load()).secret })));
  one('rotate-secret', 'make a new secret; for a day messages are signed with both').action(
    lazily(async () => ({ run: (await load()).rotateSecret })),
  );
  one('enable', 'send to it again').action(lazily(async () => ({ run: (await load()).enable })));
  one('disable', 'send nothing to it').action(lazily(async () => ({ run: (await load()).disable })));
  one('delete', 'delete an endpoint and its messages').action(lazily(async () => ({ run: (await load()).remove })));
}

function addLaneCommands(program: Command, lazily: Lazily): void {
  program
    .command('lanes')
    .description("queues of the customers' accounts")
    .command('list', { isDefault: true })
    .description('list the lanes: what waits, what is left of the quota, what blocks them')
    .action(lazily(async () => ({ run: (await import('./commands/lanes.js')).list })));
}

const scopes = ['full', 'frontend', 'read', 'write', 'search'];

function addKeyCommands(program: Command, lazily: Lazily): void {
  const keys = program.command('keys').description('manage the API keys of the project');
  const load = () => import('./commands/keys.js');
  keys
    .command('list', { isDefault: true })
    .description('list the keys')
    .action(lazily(async () => ({ run: (await load()).list })));
  keys
    .command('create')
    .description('create a key; it is shown once')
    .argument('<label>', 'what the key is for')
    .addOption(new Option('--scope <scopes...>', 'what it may do').choices(scopes).makeOptionMandatory())
    .action(lazily(async () => ({ run: (await load()).create })));
  keys
    .command('revoke')
    .description('refuse a key from now on; it stays in the list')
    .argument('<id>', 'public id of the key')
    .option('--delete', 'remove it from the list too')
    .action(lazily(async () => ({ run: (await load()).revoke })));
}

function addProfileCommands(program: Command, lazily: Lazily): void {
  const profiles = program.command('profile').description('where commands go, and with which key');
  const load = () => import('./commands/profile.js');
  profiles
    .command('list', { isDefault: true })
    .description('list the profiles')
    .action(lazily(async () => ({ run: (await load()).list })));
  profiles
    .command('add')
    .description('add or replace a profile, and use it; the key is asked for, or read from standard input')
    .argument('<name>')
    .option('--url <url>', 'management address: https://sluice.example.com/v1')
    .option('--write-url <url>', 'write address, for sluice write: https://write.sluice.example.com/v1')
    .option('--demo <file>', 'address and key of .sluice/demo.json, which npm start writes')
    .action(lazily(async () => ({ run: (await load()).add })));
  profiles
    .command('use')
    .description('use a profile from now on')
    .argument('<profile>')
    .action(lazily(async () => ({ run: (await load()).use })));
  profiles
    .command('remove')
    .description('forget a profile and its key')
    .argument('<profile>')
    .action(lazily(async () => ({ run: (await load()).remove })));
}

/** `sluice op …`: operations from their list to the replay of one. */
function addOperationCommands(program: Command, lazily: Lazily): void {
  const op = program.command('op').description('list, watch, explain, cancel and replay operations');
  const load = () => import('./commands/operations.js');
  op.command('list', { isDefault: true })
    .description('list operations, newest first')
    .addOption(new Option('--status <status>', 'only of this status').choices(['in_progress', 'success', 'failure']))
    .option('--group <ref>', 'only of this group')
    .option('--object <name>', 'only of this object')
    .option('--since <when>', 'only those accepted since: 30m, 12h, 2d, or a moment such as 2026-01-31T08:00:00Z')
    .option('--limit <count>', 'most operations', '20')
    .action(lazily(async () => ({ run: (await load()).list })));
  const one = (name: string, description: string) =>
    op.command(name).description(description).argument('<operationId>', 'as the reply of the write gave it');
  one('describe', 'show an operation and its records')
    .option('--failed', 'only the records that failed')
    .action(lazily(async () => ({ run: (await load()).describe })));
  one('records', 'list the records of an operation')
    .option('--failed', 'only the records that failed')
    .option('--csv', 'with --failed: print them as CSV')
    .action(lazily(async () => ({ run: (await load()).records })));
  one('watch', 'follow an operation, or the batch that it is, to its end')
    .option('--timeout <seconds>', 'leave after this long, with exit code 4')
    .action(lazily(() => import('./commands/op-watch.js')));
  one('explain', 'what happened to each record and why')
    .option('--record <index>', 'only this record')
    .action(lazily(() => import('./commands/op-explain.js')));
  one('logs', 'the log of an operation').action(lazily(async () => ({ run: (await load()).logs })));
  one('cancel', 'end the records that have not been sent').action(lazily(async () => ({ run: (await load()).cancel })));
  one('replay', 'write the failed records again, as a new operation')
    .option('--force', 'also those of unknown outcome: the provider may then have them twice')
    .action(lazily(async () => ({ run: (await load()).replay })));
  retire(
    op,
    'export',
    'What happened to each record: sluice op explain <operationId>; the failed records: sluice op records <operationId> --failed --csv.',
  );
}
