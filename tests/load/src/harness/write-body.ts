import { groupMark, mark, sentAtMark } from './generate-load';

/** Of a request as the goals name it: about 1 KB. */
const bodyBytes = 1_024;

/**
 * A write of one contact, 1 KB long, for the load generator: every request has an email of its own.
 * @param members of the request besides groupRef, type and record: `{mode: 'asynchronous'}`
 */
export function writeBody(members: object, { isTimed = false }: { isTimed?: boolean } = {}): string {
  const record = {
    email: `bench-${mark}@example.com`,
    firstname: 'Thao',
    lastname: 'Nguyen',
    phone: '+49 30 1234567',
    company: 'Hoefer and Sons',
    city: 'Prague',
    country: 'Czechia',
    jobtitle: 'Buyer',
    ...(isTimed && { sentat: sentAtMark }),
    notes: '',
  };
  const request = { groupRef: `g-${groupMark}`, type: 'create', ...members, record };
  record.notes = 'n'.repeat(Math.max(0, bodyBytes - JSON.stringify(request).length));
  return JSON.stringify(request);
}

export const asynchronous = { mode: 'asynchronous' };
/** A minute is the shortest delay; in these runs a batch leaves when it is full. */
export const autoBatched = { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } };
