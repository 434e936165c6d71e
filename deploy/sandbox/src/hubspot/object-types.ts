import { HubspotError } from './errors';

const contactNames = new Set(['contacts', 'contact', '0-1']);

/** Refuses every object type but contacts, under each of its names. The recorded reply has no category. */
export function requireContacts(objectType: string | undefined): void {
  if (objectType !== undefined && contactNames.has(objectType.toLowerCase())) return;
  throw new HubspotError(400, { message: `Unable to infer object type from: ${objectType ?? ''}` });
}
