import { DefectError } from '@sluice/errors';
import type { Store } from '@sluice/store';
import type { ConfigContent, ManifestIntegration } from '@sluice/types';
import { LRUCache } from 'lru-cache';

/** Manifests by revision and config contents by hash. What these keys name never changes, so it is kept for long. */
export interface ImmutableContents {
  manifest(projectId: string, revisionId: string): Promise<ManifestIntegration>;
  config(projectId: string, hash: string): Promise<ConfigContent>;
}

/** Characters of JSON kept per kind. A parsed object takes a few times that in memory. */
const keptCharactersMax = 16_000_000;

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
    sizeCalculation: (content) => JSON.stringify(content).length,
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
