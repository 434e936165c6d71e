import { isDeepStrictEqual } from 'node:util';
import { DefectError, NotFoundError } from '@sluice/errors';
import type { InstallationIds, InstallationNames, Store } from '@sluice/store';
import type { InstallationContext, ConfigContent, ManifestIntegration } from '@sluice/types';
import { heapShare } from '@sluice/telemetry';
import { LRUCache } from 'lru-cache';

/** Age of cached ids. Only a hint (see `resolve`), so it costs at most a second planning. */
const idsForMs = 1_000;
/** Installations in use at once per process; a row of ids is about 1 kB. */
const idsMax = 20_000;
/** Installations whose ids and contents are kept joined. They hold contents that `ImmutableContents` may have let go, so their size counts too. */
const joinedMax = 1_000;
const joinedCharactersMax = heapShare(32);

type ResolverStore = Pick<Store, 'installationLookup'>;

export class InstallationResolver {
  private readonly ids = new LRUCache<string, InstallationIds, InstallationNames>({
    max: idsMax,
    ttl: idsForMs,
    fetchMethod: (_key, _stale, { context: names }) => this.findIds(names),
    // `resolveAgain` replaces what is being asked for, and a full cache evicts it: whoever waits for it has his answer all the same.
    ignoreFetchAbort: true,
  });
  private readonly joined = new LRUCache<string, Joined>({
    max: joinedMax,
    maxSize: joinedCharactersMax,
    sizeCalculation: ({ context: { manifest, config } }) => charactersOf(manifest) + charactersOf(config) + 1,
  });

  constructor(
    private readonly store: ResolverStore,
    private readonly contents: ImmutableContents,
  ) {}

  /** See `Installations.resolve`. */
  async resolve(names: InstallationNames): Promise<InstallationContext> {
    const key = keyOf(names);
    const found = this.ids.get(key) ?? (await this.ids.fetch(key, { context: names }));
    if (found === undefined) throw new DefectError({ code: 'service.defect', detail: 'A lookup gave no answer.' });
    const known = this.joined.get(key);
    return known?.ids === found ? known.context : await this.join(key, found);
  }

  /** The same from the database as it is now; the very context of `resolve` where nothing has changed. */
  async resolveAgain(names: InstallationNames): Promise<InstallationContext> {
    // A read of its own: one that is under way may have begun before the change this caller knows of.
    return await this.take(names, await this.findIds(names));
  }

  /** The installation of a row that was read just now for these names; the very context of `resolve` where nothing has changed. */
  async take(names: InstallationNames, found: InstallationIds): Promise<InstallationContext> {
    const key = keyOf(names);
    const known = this.joined.get(key);
    const isUnchanged = known !== undefined && isDeepStrictEqual(known.ids, found);
    this.ids.set(key, isUnchanged ? known.ids : found);
    return isUnchanged ? known.context : await this.join(key, found);
  }

  /** The ids that were found last, however old. */
  findKnown(names: InstallationNames): InstallationIds | undefined {
    return this.joined.get(keyOf(names))?.ids;
  }

  private async join(key: string, found: InstallationIds): Promise<InstallationContext> {
    const { contentHash, ...ids } = found;
    const [manifest, config] = await Promise.all([
      this.contents.manifest(ids.projectId, ids.revisionId),
      this.contents.config(ids.projectId, contentHash),
    ]);
    const context = { ...ids, manifest, config };
    this.joined.set(key, { ids: found, context });
    return context;
  }

  private async findIds(names: InstallationNames): Promise<InstallationIds> {
    const result = await this.store.installationLookup.findIds(names);
    if (result.missing === undefined) return result.ids;
    throw missingOf(result.missing, names);
  }
}

/** A context with the row of ids it was made from. */
interface Joined {
  readonly ids: InstallationIds;
  readonly context: InstallationContext;
}

/** JSON, because refs may hold any separator. */
function keyOf(names: InstallationNames): string {
  return JSON.stringify([
    names.withinProjectId,
    names.withinGroupRef,
    names.projectIdOrName,
    names.integrationId,
    names.groupRef,
  ]);
}

/** The refusal of a lookup that found nothing. */
export function missingOf(
  missing: 'project' | 'integration' | 'group' | 'installation',
  names: InstallationNames,
): NotFoundError {
  const sentences = {
    project: `projectIdOrName: there is no project "${names.projectIdOrName}" for this key.`,
    integration: `integrationId: there is no integration "${names.integrationId}" in this project.`,
    group: `groupRef: there is no group "${names.groupRef}" in this project.`,
    installation: `groupRef: the group "${names.groupRef}" has not installed this integration.`,
  };
  return new NotFoundError({ code: `${missing}.not-found`, detail: sentences[missing] });
}

/** Manifests by revision and config contents by hash. What these keys name never changes, so it is kept for long. */
export interface ImmutableContents {
  manifest(projectId: string, revisionId: string): Promise<ManifestIntegration>;
  config(projectId: string, hash: string): Promise<ConfigContent>;
}

/**
 * Characters of JSON kept per kind: a parsed object takes a few times that in memory. A 32nd of the heap is 4 million in a process of 256 MiB:
 * four of the largest configs, or a thousand usual ones.
 */
const cachedCharactersMax = heapShare(32);

/** Characters of contents that were kept; read by who keeps them longer. */
const characters = new WeakMap<object, number>();

/** Size of a content that came from here, in characters of its JSON. */
function charactersOf(content: object): number {
  let known = characters.get(content);
  if (known === undefined) {
    known = JSON.stringify(content).length;
    characters.set(content, known);
  }
  return known;
}

export function immutableContents(store: Pick<Store, 'installationLookup' | 'integrations'>): ImmutableContents {
  const manifest = cacheByKey(async (projectId, id) => (await store.integrations.findRevision(projectId, id))?.content);
  const config = cacheByKey((projectId, hash) => store.installationLookup.findContent(projectId, hash));
  return { manifest, config };
}

function cacheByKey<Content extends object>(
  read: (projectId: string, key: string) => Promise<Content | undefined>,
): (projectId: string, key: string) => Promise<Content> {
  const cached = new LRUCache<string, Content, { readonly projectId: string; readonly key: string }>({
    maxSize: cachedCharactersMax,
    sizeCalculation: charactersOf,
    fetchMethod: (_name, _stale, { context }) => read(context.projectId, context.key),
    // A full cache may evict what is being read: whoever waits for it has it all the same.
    ignoreFetchAbort: true,
  });
  return async (projectId, key) => {
    const name = `${projectId}/${key}`;
    const content = cached.get(name) ?? (await cached.fetch(name, { context: { projectId, key } }));
    if (content !== undefined) return content;
    throw new DefectError({ code: 'service.defect', detail: `A stored reference leads nowhere: ${key}.` });
  };
}
