import { urlVariables } from './given-urls';
import { isRunning } from './process-identity';
import { describeRuntime, isAlive } from './runtime';
import { starters } from './start-service';
import { readState, serviceNames, type ServiceName, type StackState } from './stack-state';

/** A line for each service, for people: where it runs and who needs it. Passwords are left out. */
export async function describeStack(
  dataDir: string,
  given: Partial<Record<ServiceName, string>>,
): Promise<readonly string[]> {
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
