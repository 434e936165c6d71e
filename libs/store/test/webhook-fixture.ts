import type { EndpointKey } from '@sluice/store';
import { webhookFiltersDefault, type WebhookFilter } from '@sluice/types';
import { useWriteFixture, type WriteFixture } from './write-fixture';

/** Ciphertext that nobody opens. */
export const sealed = { text: 'v1.k1.iv.tag.text', keyId: 'k1' };

/** How a delivery ends. */
export const failed = { class: 'refused', status: 500, durationMs: 5, response: 'no', pauseMs: 60_000 } as const;
export const delivered = { class: 'delivered', status: 200, durationMs: 5 } as const;
/** A search for endpoints that are due. */
export const search = { limit: 10, failingLimit: 10, inFlightMax: 4, after: undefined };

/** A write fixture whose project may have endpoints. */
export interface WebhookFixture extends WriteFixture {
  /** @param eventTypes @default all that are told unasked */
  addEndpoint(eventTypes?: readonly WebhookFilter[]): Promise<EndpointKey>;
}

/** One of its own for each test. */
export function useWebhookFixture(): WebhookFixture {
  const fixture = useWriteFixture();
  const addEndpoint: WebhookFixture['addEndpoint'] = async (eventTypes = webhookFiltersDefault) => {
    const { projectId } = fixture.seeded;
    const one = { projectId, url: 'https://receiver.example.com/', eventTypes, max: 20, seal: () => sealed };
    return { projectId, endpointId: (await fixture.store.webhookEndpoints.create(one))?.id ?? '' };
  };
  return Object.assign(fixture, { addEndpoint });
}
