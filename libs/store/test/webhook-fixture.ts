import type { EndpointKey } from '@sluice/store';
import { webhookFiltersDefault, type WebhookFilter } from '@sluice/types';
import { createWriteFixture, type WriteFixture } from './write-fixture';

/** Ciphertext that nobody opens. */
export const sealed = { text: 'v1.k1.iv.tag.text', keyId: 'k1' };

/** A write fixture whose project may have endpoints. */
export interface WebhookFixture extends WriteFixture {
  /** @param eventTypes @default all that are told unasked */
  addEndpoint(eventTypes?: readonly WebhookFilter[]): Promise<EndpointKey>;
}

export async function createWebhookFixture(): Promise<WebhookFixture> {
  const fixture = await createWriteFixture();
  const { projectId } = fixture.seeded;
  return {
    ...fixture,
    async addEndpoint(eventTypes = webhookFiltersDefault) {
      const one = { projectId, url: 'https://receiver.example.com/', eventTypes, max: 20, seal: () => sealed };
      return { projectId, endpointId: (await fixture.store.webhookEndpoints.create(one))?.id ?? '' };
    },
  };
}
