import { stacksVariable, sharedTimeScales, type SharedStackName } from '../harness/shared-stack';
import { startStack, type OwnStack } from '../harness/stack';
import startServices, { stopServices } from './start-services';

const names = Object.keys(sharedTimeScales) as SharedStackName[];
const started: OwnStack[] = [];

/** jest globalSetup of the project "shared": the stacks of `sharedStack`, for as long as jest runs. */
export default async function startSharedStacks(): Promise<void> {
  await startServices();
  const stacks = await Promise.all(
    names.map(async (name) => {
      const stack = await startStack({ timeScale: sharedTimeScales[name] });
      started.push(stack);
      return [name, { portBase: stack.portBase, logDir: stack.logDir, databaseUrl: stack.databaseUrl }] as const;
    }),
  );
  process.env[stacksVariable] = JSON.stringify(Object.fromEntries(stacks));
}

export async function stopSharedStacks(): Promise<void> {
  await Promise.all(started.splice(0).map((stack) => stack.stop()));
  await stopServices();
}
