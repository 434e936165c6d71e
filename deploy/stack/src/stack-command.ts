import { readProcessEnv } from '@sluice/config';
import { stackDataDir } from './checkout';
import { isRunning } from './processes';
import { describeRuntime, isAlive } from './runtime';
import { givenUrls, releaseStack, starters, startStack, urlVariables } from './stack';
import { readState, type ServiceName, serviceNames, type StackState } from './stack-state';

const usage = `npm run stack -- <command>
  start [postgres|redis|kafka …]  starts what is named (default: all) and leaves it up until "stop"
  stop                            ends every service that was started for this checkout, and nothing else
  release                         ends those that no running command needs and "start" did not ask to keep
  status                          what runs, where, and who needs it
  env                             export lines for a shell: eval "$(npm run -s stack -- env)"
`;

/** `npm run stack -- start|stop|release|status|env`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const env = readProcessEnv();
  const dataDir = stackDataDir(env);
  const [command = '', ...names] = args;
  if (command === 'start') return start(dataDir, names);
  if (command === 'stop' || command === 'release') {
    await releaseStack(dataDir, say, command === 'stop' ? 'all' : 'unneeded');
    return 0;
  }
  if (command === 'status') return print(await describeStack(dataDir, givenUrls(env)));
  if (command === 'env') return printExports(dataDir, env);
  process.stderr.write(usage);
  return 2;
}

async function start(dataDir: string, names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !isServiceName(name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no service ${unknown.join(', ')}.\n${usage}`);
    return 2;
  }
  const wanted = names.filter(isServiceName);
  const stack = await startStack({ dataDir, want: wanted.length > 0 ? wanted : serviceNames, log: say, keep: true });
  await stack.stop(); // Our own need ends; what is kept stays.
  return 0;
}

function printExports(dataDir: string, env: NodeJS.ProcessEnv): number {
  const { services } = readState(dataDir);
  const given = givenUrls(env);
  const urls = serviceNames.map((name) => [urlVariables[name], given[name] ?? services[name]?.url] as const);
  if (urls.some(([, url]) => url === undefined)) process.stderr.write('Not everything runs: npm run stack -- start\n');
  const lines = urls.filter(([, url]) => url !== undefined).map(([variable, url]) => `export ${variable}='${url}'`);
  print(lines);
  return lines.length === urls.length ? 0 : 1;
}

function isServiceName(name: string): name is ServiceName {
  return serviceNames.some((known) => known === name);
}

function print(lines: readonly string[]): number {
  for (const line of lines) process.stdout.write(`${line}\n`);
  return 0;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A line for each service, for people: where it runs and who needs it. Passwords are left out. */
async function describeStack(dataDir: string, given: Partial<Record<ServiceName, string>>): Promise<readonly string[]> {
  const state = readState(dataDir);
  const lines = serviceNames.map(async (name) => {
    const condition = given[name] === undefined ? await describeService(name, state) : `given by ${urlVariables[name]}`;
    return `${name.padEnd(9)}${condition}`;
  });
  return Promise.all(lines);
}

async function describeService(name: ServiceName, state: StackState): Promise<string> {
  const service = state.services[name];
  if (service === undefined || !(await isAlive(service.runtime))) return 'stopped';
  const answer = (await starters[name].answers(service)) ? 'runs' : 'runs but does not answer';
  const holders = state.holders.filter((holder) => holder.wants.includes(name) && isRunning(holder.process));
  const users = holders.map((holder) => `needed by process ${holder.process.pid}`);
  const kept = state.kept.includes(name) ? ['kept until "stop"'] : [];
  return [`${answer} on port ${service.port}`, describeRuntime(service.runtime), ...kept, ...users].join(', ');
}
