import type { ProviderInfo, ProviderSupport } from '@sluice/types';
import type { Capabilities, Connector, Limited } from './connector';

/** A provider as the catalogue shows it: its entry, and what its connector can do. */
export function providerInfo({ provider, catalogue, capabilities, ...methods }: Connector): ProviderInfo {
  const write = methods.create !== undefined || methods.update !== undefined;
  return { name: provider, ...catalogue, support: supportOf(capabilities, write), providerOpts: {} };
}

/**
 * `read`, `subscribe` and `proxy` are false: what a manifest says of them is stored, nothing executes it. Bulk jobs are not used.
 */
function supportOf(capabilities: Capabilities, write: boolean): ProviderSupport {
  const none = { supported: false };
  return {
    bulkWrite: { insert: false, update: false, upsert: false, delete: false },
    batchWrite: {
      create: batchOf(capabilities.batchCreate),
      update: batchOf(capabilities.batchUpdate),
      upsert: none,
      delete: none,
    },
    proxy: false,
    read: false,
    write,
    subscribe: false,
    delete: capabilities.delete,
    search: { operators: { equals: capabilities.search !== false } },
  };
}

function batchOf(limited: Limited | false) {
  return limited === false ? { supported: false } : { supported: true, defaultRecordLimit: limited.limit };
}
