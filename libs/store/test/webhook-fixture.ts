import { openDatabase, type EndpointKey } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import { webhookFiltersDefault, type WebhookFilter } from '@sluice/types';
import { createWriteFixture, type WriteFixture } from './write-fixture';

/** Ciphertext that nobody opens. */
export const sealed = { text: 'v1.k1.iv.tag.text', keyId: 'k1' };

/** A write fixture whose project may have endpoints. */
export interface WebhookFixture extends WriteFixture {
  /** Another way into the same database, for what a test must arrange or see in the tables. */
  readonly database: ReturnType<typeof openDatabase>;
  /** @param eventTypes @default all that are told unasked */
  addEndpoint(eventTypes?: readonly WebhookFilter[]): Promise<EndpointKey>;
}

export async function createWebhookFixture(): Promise<WebhookFixture> {
  const fixture = await createWriteFixture();
  const database = openDatabase({ url: fixture.url, poolMax: 4, applicationName: 'test', limits: patientLimits });
  const { projectId } = fixture.seeded;
  return {
    ...fixture,
    database,
    async addEndpoint(eventTypes = webhookFiltersDefault) {
      const one = { projectId, url: 'https://receiver.example.com/', eventTypes, max: 20, seal: () => sealed };
      return { projectId, endpointId: (await fixture.store.webhookEndpoints.create(one))?.id ?? '' };
    },
    async close() {
      await database.destroy();
      await fixture.close();
    },
  };
}
