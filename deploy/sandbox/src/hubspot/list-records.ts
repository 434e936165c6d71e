import type { Action, ObjectCall } from './api-call';
import { invalid } from './wire-reply';
import { presentRead } from './present-record';
import { listParameter } from './read-record';

/** Source: HubSpot's reference of `GET /crm/v3/objects/{T}`. */
const page = { default: 10, max: 100 };

/** `GET /crm/v3/objects/{T}?limit=&after=&properties=` -> one page in the order of ids; not subject to the index lag. */
export const listRecords: Action<ObjectCall> = (call) => {
  const limit = whole(call.query.get('limit'), page.default);
  if (limit < 1 || limit > page.max) throw invalid(`limit must be between 1 and ${page.max}, but was ${limit}`);
  const after = whole(call.query.get('after'), 0);
  const later = call.records.all().filter(({ id }) => Number(id) > after);
  const shown = later.toSorted((a, b) => Number(a.id) - Number(b.id)).slice(0, limit);
  const asked = listParameter(call.query, 'properties');
  const last = shown.at(-1)?.id;
  const more = later.length > shown.length && last !== undefined;
  return {
    status: 200,
    body: {
      results: shown.map((record) => presentRead(call, record, asked)),
      ...(more ? { paging: { next: { after: last } } } : {}),
    },
  };
};

function whole(value: string | null, otherwise: number): number {
  if (value === null || value === '') return otherwise;
  if (!/^\d+$/.test(value)) throw invalid(`${value} was not a valid long.`);
  return Number(value);
}
