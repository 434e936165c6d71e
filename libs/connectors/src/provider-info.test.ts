import type { Connector } from './connector';
import { providerInfo } from './provider-info';

const nothing = {
  provider: 'acme',
  capabilities: {
    batchCreate: false,
    batchUpdate: { limit: 7 },
    batchRead: false,
    search: false,
    delete: false,
    allOrNone: { create: false, update: false },
    associations: false,
    forwardedHeaders: false,
    ifEmpty: false,
    quota: { limit: 1, windowMs: 1 },
    searchQuota: false,
    lateCommitMs: 0,
  },
  catalogue: { baseURL: 'https://acme.test', authType: 'apiKey', defaultModule: '' },
} as unknown as Connector;

describe('providerInfo', () => {
  it('says what the capabilities say, and nothing of what nobody executes', () => {
    expect(providerInfo(nothing)).toEqual({
      name: 'acme',
      baseURL: 'https://acme.test',
      authType: 'apiKey',
      defaultModule: '',
      providerOpts: {},
      support: {
        bulkWrite: { insert: false, update: false, upsert: false, delete: false },
        batchWrite: {
          create: { supported: false },
          update: { supported: true, defaultRecordLimit: 7 },
          upsert: { supported: false },
          delete: { supported: false },
        },
        proxy: false,
        read: false,
        write: false,
        subscribe: false,
        delete: false,
        search: { operators: { equals: false } },
      },
    });
  });

  it('takes one write method for writing', () => {
    const update = () => Promise.reject(new Error('not called'));
    expect(providerInfo({ ...nothing, update }).support.write).toBe(true);
  });
});
