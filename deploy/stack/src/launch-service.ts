import { SluiceError } from '@sluice/errors';
import { findEngineFor } from './container-engine';
import { installMissing, type Requirement } from './install-missing';
import type { StartContext } from './service-starter';
import type { Runtime, ServiceName } from './stack-state';

export interface LaunchOptions {
  readonly name: ServiceName;
  /** For the reader: `Redis`. */
  readonly service: string;
  readonly variable: string;
  readonly image: string;
  readonly requirements: readonly Requirement[];
  inContainer(engine: string): Promise<Runtime>;
  /** @param programs paths of what `requirements` names, in their order */
  asProgram(programs: readonly string[]): Promise<Runtime>;
}

/**
 * Brings a service up from the first way that works: what this data folder used before (its data is there), a container
 * engine, programs on the machine, programs that we install.
 * @throws DependencyError that names every way to get the service
 */
export async function launchService(options: LaunchOptions, context: StartContext): Promise<Runtime> {
  const isProgramPreferred = context.book.state.sources[options.name] === 'program';
  const programs = isProgramPreferred ? await findAll(options.requirements) : undefined;
  const container = programs === undefined ? await tryContainer(options, context) : undefined;
  const { env, log } = context;
  const runtime =
    container ??
    (await options.asProgram(programs ?? (await installMissing(options.requirements, { ...options, env, log }))));
  context.book.state.sources[options.name] = runtime.origin;
  context.book.save();
  return runtime;
}

/** An engine may answer, have the image, and still not be able to run it. */
async function tryContainer(options: LaunchOptions, { env, log }: StartContext): Promise<Runtime | undefined> {
  const engine = await findEngineFor(options.image, env, log);
  if (engine === undefined) return undefined;
  try {
    return await options.inContainer(engine);
  } catch (error) {
    log(`${options.name}: ${error instanceof SluiceError ? error.detail : String(error)}`);
    return undefined;
  }
}

async function findAll(requirements: readonly Requirement[]): Promise<string[] | undefined> {
  const places = await Promise.all(requirements.map((requirement) => requirement.find()));
  return places.every((place) => place !== undefined) ? places : undefined;
}
