import type { ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { earliestMs, type Look, type Rows } from './look';
import { toProviderRecord } from './provider-record';
import { pathBytes, pathBytesMax, query } from './query';
import { momentLiteral } from './soql-literal';
import type { Condition, Selection } from './soql';

/** Rows of one look: far below the 2,000 of a page, because each carries every sent field. [own] */
const rowsMax = 500;
/** Values by which one create is told apart when its key alone finds too many. */
const narrowMax = 5;

type Call = ProviderCall & { readonly objectName: string };
type Looked = Rows | { readonly failure: ProviderFailure };

/** Looks that one query can answer: the same key field, and short enough for a URL. */
export function packLooks(objectName: string, looks: readonly Look[]): Look[][] {
  const packs: Look[][] = [];
  for (const look of looks) {
    const pack = packs.find((other) => {
      const isSame = other[0]?.key.field.name === look.key.field.name;
      return isSame && pathBytes(select(objectName, [...other, look], keysOf([...other, look]))) <= pathBytesMax;
    });
    if (pack) pack.push(look);
    else packs.push([look]);
  }
  return packs;
}

/** What was created since the earliest first attempt with one of the keys. */
export async function lookTogether(api: SalesforceApi, call: Call, looks: readonly Look[]): Promise<Looked> {
  return await read(api, call, select(call.objectName, looks, keysOf(looks)));
}

/** What carries the most telling values of one create; what carries fewer of them is left out, so it is never whole. */
export async function lookNarrowly(api: SalesforceApi, call: Call, look: Look): Promise<Looked> {
  const where = look.sent.slice(0, narrowMax).flatMap(({ field, literal }): Condition[] => {
    return literal === undefined ? [] : [{ field: field.name, operator: '=', literals: [literal] }];
  });
  const looked = await read(api, call, select(call.objectName, [look], where));
  return 'failure' in looked ? looked : { ...looked, isWhole: false };
}

async function read(api: SalesforceApi, call: Call, selection: ReturnType<typeof select>): Promise<Looked> {
  const queried = await query(api, selection, call);
  if (!queried.ok) return { failure: queried.failure };
  const { records, isWhole } = queried.page;
  const found = records.flatMap((record) => toProviderRecord(record, selection.fields) ?? []);
  // A row without an id is a record that cannot be told from ours.
  return { records: found, isWhole: isWhole && found.length === records.length && records.length < rowsMax };
}

function select(objectName: string, looks: readonly Look[], where: readonly Condition[]) {
  const since = momentLiteral(new Date(Math.min(...looks.map(earliestMs))));
  const created: Condition = { field: 'CreatedDate', operator: '>=', literals: [since] };
  const values = looks.flatMap(({ sent, others }) => [sent, ...others].flat());
  const fields = ['CreatedDate', ...new Set(values.map(({ field }) => field.name))];
  return { objectName, fields, where: [...where, created], limit: rowsMax } satisfies Selection;
}

function keysOf(looks: readonly Look[]): Condition[] {
  const literals = [...new Set(looks.flatMap(({ key }) => key.literal ?? []))];
  const field = looks[0]?.key.field.name;
  return field === undefined ? [] : [{ field, operator: literals.length > 1 ? 'IN' : '=', literals }];
}
