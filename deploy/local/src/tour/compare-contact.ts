import type { CrmContact } from '../clients/sandbox-client';
import { sampleProperties, type SampleContact } from './sample-contacts';
import { expectThat } from './step-failure';

/** HubSpot gives a new contact this stage when none is sent. */
const defaultStage = 'lead';

/**
 * Fails unless the CRM has exactly what was sent: every value, and nothing where nothing was sent.
 * HubSpot keeps an email in lower case; all else stays as it is, to the last space.
 */
export function expectSame(sent: SampleContact, contact: CrmContact | undefined): void {
  expectThat(contact !== undefined, `The CRM has no contact for ${sent.email ?? sent.lastname}.`);
  for (const property of sampleProperties) {
    const wanted = keptValue(sent, property);
    const found = contact.properties[property] ?? undefined;
    expectThat(
      found === wanted,
      `Contact ${contact.id}: ${property} should be ${show(wanted)} and is ${show(found)} in the CRM.`,
    );
  }
}

function keptValue(sent: SampleContact, property: (typeof sampleProperties)[number]): string | undefined {
  if (property === 'email') return sent.email?.toLowerCase();
  return sent[property] ?? (property === 'lifecyclestage' ? defaultStage : undefined);
}

/** How many values a contact carries. */
export function countValues(contact: SampleContact): number {
  return sampleProperties.filter((property) => contact[property] !== undefined).length;
}

function show(value: string | undefined): string {
  return value === undefined ? 'empty' : JSON.stringify(value);
}
