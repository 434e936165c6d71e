import { findEngineFor } from './container-engine';
import { installMissing, type Requirement } from './install-missing';
import type { StartContext } from './service-starter';
import type { ServiceName } from './stack-state';

export interface SourceOptions {
  readonly name: ServiceName;
  /** For the reader: `Redis`. */
  readonly service: string;
  readonly variable: string;
  readonly image: string;
  readonly requirements: readonly Requirement[];
}

/** Where a service is taken from: an engine that has its image, or the paths of its programs in the order required. */
export type Source =
  | { readonly origin: 'container'; readonly engine: string }
  | { readonly origin: 'program'; readonly programs: readonly string[] };

/**
 * In this order: what this data folder used before (its data is there), a container engine, programs on the machine,
 * programs that we install.
 * @throws DependencyError that names every way to get the service
 */
export async function chooseSource(options: SourceOptions, context: StartContext): Promise<Source> {
  const { env, log, book } = context;
  const usedBefore = book.state.sources[options.name] === 'program' ? await findAll(options.requirements) : undefined;
  const engine = usedBefore === undefined ? await findEngineFor(options.image, env, log) : undefined;
  const source: Source =
    engine === undefined
      ? {
          origin: 'program',
          programs: usedBefore ?? (await installMissing(options.requirements, { ...options, env, log })),
        }
      : { origin: 'container', engine };
  book.state.sources[options.name] = source.origin;
  book.save();
  return source;
}

async function findAll(requirements: readonly Requirement[]): Promise<string[] | undefined> {
  const places = await Promise.all(requirements.map((requirement) => requirement.find()));
  return places.every((place) => place !== undefined) ? places : undefined;
}
