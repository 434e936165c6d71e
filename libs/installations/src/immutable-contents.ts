import { DefectError } from '@sluice/errors';
import type { Store } from '@sluice/store';
import type { ConfigContent, ManifestIntegration } from '@sluice/types';
import { heapShare } from '@sluice/telemetry';
import { LRUCache } from 'lru-cache';

/** Manifests by revision and config contents by hash. What these keys name never changes, so it is kept for long. */
export interface ImmutableContents {
  manifest(projectId: string, revisionId: string): Promise<ManifestIntegration>;
  config(projectId: string, hash: string): Promise<ConfigContent>;
}

/**
 * Characters of JSON kept per kind: a parsed object takes a few times that in memory. A 32nd of the heap is 4 million in a process of 256 MiB:
 * four of the largest configs, or a thousand usual ones.
 */
const keptCharactersMax = heapShare(32);

/** Characters of contents that were kept; read by who keeps them longer. */
const characters = new WeakMap<object, number>();

/** Size of a content that came from here, in characters of its JSON. */
export function charactersOf(content: object): number {
  let known = characters.get(content);
  if (known === undefined) {
    known = JSON.stringify(content).length;
    characters.set(content, known);
  }
  return known;
}

export function immutableContents(store: Pick<Store, 'installationLookup' | 'integrations'>): ImmutableContents {
  const manifest = keptByKey(async (projectId, id) => (await store.integrations.findRevision(projectId, id))?.content);
  const config = keptByKey((projectId, hash) => store.installationLookup.findContent(projectId, hash));
  return { manifest, config };
}

function keptByKey<Content extends object>(
  read: (projectId: string, key: string) => Promise<Content | undefined>,
): (projectId: string, key: string) => Promise<Content> {
  const kept = new LRUCache<string, Content, { readonly projectId: string; readonly key: string }>({
    maxSize: keptCharactersMax,
    sizeCalculation: charactersOf,
    fetchMethod: (_name, _stale, { context }) => read(context.projectId, context.key),
    // A full cache may evict what is being read: whoever waits for it has it all the same.
    ignoreFetchAbort: true,
  });
  return async (projectId, key) => {
    const name = `${projectId}/${key}`;
    const content = kept.get(name) ?? (await kept.fetch(name, { context: { projectId, key } }));
    if (content !== undefined) return content;
    throw new DefectError({ code: 'service.defect', detail: `A stored reference leads nowhere: ${key}.` });
  };
}
