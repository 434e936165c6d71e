import { retryOf } from '@sluice/errors';
import type { ObjectCall } from '../requests';
import type { ProviderFailure, RecordResult } from '../results';
import type { HubspotApi } from './call-hubspot';
import { itemFailure } from './errors';
import { unanswered } from './item-table';
import { type Link, type MissedLink, resolveLinks, type Linkable } from './resolve-links';
import { isJson, isOver, readBatch, textsOf, type Json, type WireError } from './wire';
import type { SchemaCache } from './read-properties';

/** Links of one call. Source: reference A4. */
const linksMax = 2_000;
/** Calls that may be spent on finding out which links made HubSpot refuse all of them. One bad link of 100 takes 14. [own] */
const extraCallsMax = 16;

/** Makes links that point to one object. Returns those that were not made. */
async function linkAll(
  api: HubspotApi,
  call: ObjectCall,
  target: string,
  links: readonly Link[],
): Promise<MissedLink[]> {
  const missed: MissedLink[] = [];
  const open: (readonly Link[])[] = [];
  for (let at = 0; at < links.length; at += linksMax) open.push(links.slice(at, at + linksMax));
  let extraCalls = 0;
  for (let some = open.shift(); some; some = open.shift()) {
    const { failure, missed: alone } = await link(api, call, target, some);
    if (failure && isOneRecords(failure) && some.length > 1 && extraCalls < extraCallsMax) {
      // One caller's wrong id must not cost the others of an automatic batch their associations.
      extraCalls += 2;
      const half = Math.ceil(some.length / 2);
      open.push(some.slice(0, half), some.slice(half));
    } else missed.push(...alone);
  }
  return missed;
}

/** The call was refused for what may stand in a single link. */
function isOneRecords({ class: failureClass }: ProviderFailure): boolean {
  return failureClass === 'rejected' || failureClass === 'not-found' || failureClass === 'conflict';
}

interface Linked {
  /** Why the whole call failed. */
  readonly failure?: ProviderFailure;
  readonly missed: readonly MissedLink[];
}

/** `POST /associations/{from}/{to}/batch/create`. Made is what stands in the results, by both of its ends. Source: reference A4, 1a. */
async function link(api: HubspotApi, call: ObjectCall, target: string, links: readonly Link[]): Promise<Linked> {
  const inputs = links.map(({ from, to, types }) => ({ from: { id: from }, to: { id: to }, types }));
  const path = api.urls.associations(call.objectName, target);
  const answer = await api.call({ operation: 'associate', method: 'POST', path, body: { inputs } }, call);
  if (!answer.ok) {
    const { failure } = answer;
    return { failure, missed: links.map(({ index }) => ({ index, failure })) };
  }
  const { errors, status } = readBatch(answer.body);
  const open = unmade(links, answer.body);
  const told = errors.flatMap((error) => {
    const failure = itemFailure(error, 'create', call.auth.accessToken);
    return blamed(error, links, open).map((one) => ({ one, failure }));
  });
  const isTold = new Set(told.map(({ one }) => one));
  const untold = open.filter((one) => !isTold.has(one)).map((one) => ({ one, failure: unshown(status) }));
  return { missed: [...told, ...untold].map(({ one, failure }) => ({ index: one.index, failure })) };
}

/** Neither a result nor an error: the link is not taken for made, as a record that a reply leaves out is not taken for written. */
function unshown(status: string | undefined): ProviderFailure {
  const row = isOver(status) ? unanswered.association : unanswered.pendingAssociation;
  return { class: row.class, scope: 'record', message: "HubSpot's reply does not show it" };
}

/**
 * The links that an error speaks of: those of which it names both ends (made by another of its types or not), else one, else all that
 * do not stand in the results. Its context has ids alone or inside a text: `CONTACT=1, COMPANY=2`.
 */
function blamed(error: WireError, links: readonly Link[], open: readonly Link[]): readonly Link[] {
  const texts = Object.values(error.context).flatMap(textsOf);
  const named = new Set(texts.flatMap((text) => text.match(/\d+/g) ?? []));
  const byBoth = links.filter(({ from, to }) => named.has(to) && named.has(from));
  const byOne = open.filter(({ from, to }) => named.has(to) || named.has(from));
  return [byBoth, byOne].find(({ length }) => length > 0) ?? open;
}

function unmade(links: readonly Link[], body: Json): readonly Link[] {
  const results: unknown[] = Array.isArray(body['results']) ? body['results'] : [];
  const made = new Set(results.filter(isJson).map((result) => `${idOf(result, 'from')} ${idOf(result, 'to')}`));
  return links.filter(({ from, to }) => !made.has(`${from} ${to}`));
}

/** Ids are numbers beside the object's type id, or texts inside a member of their own. */
function idOf(result: Json, end: 'from' | 'to'): string | undefined {
  const inner = result[end];
  return textsOf(result[`${end}ObjectId`] ?? (isJson(inner) ? inner['id'] : undefined))[0];
}

/** A record with the outcome of its fields. */
interface Updated extends Linkable {
  readonly result: RecordResult;
  /** False: no field was sent, the associations are the whole update. */
  readonly hasFields: boolean;
}

/**
 * Makes the associations of records that were just updated: one call per object they point to, however many records
 * there are. HubSpot takes none with the update itself. Source: reference A2, A4.
 * A failure that may pass keeps the record unfinished, so that its update is repeated as a whole: both halves can be
 * sent twice. A failure that stays is a warning where the fields were written, and the outcome where there were none.
 */
export async function associate(
  api: HubspotApi,
  cache: SchemaCache,
  call: ObjectCall,
  records: readonly Updated[],
): Promise<RecordResult[]> {
  const linkable = records.map((record) => (record.result.ok ? record : { ...record, associations: [] }));
  const { byTarget, unresolved } = await resolveLinks(api, cache, call, linkable);
  const missed = [...unresolved];
  for (const [target, links] of byTarget) {
    // An account that is blocked is not asked once more.
    const blocked = missed.find(({ failure }) => failure.scope === 'lane')?.failure;
    missed.push(
      ...(blocked ? links.map(({ index }) => ({ index, failure: blocked })) : await linkAll(api, call, target, links)),
    );
  }
  return records.map((record, index) => {
    const failures = missed.filter((each) => each.index === index).map(({ failure }) => failure);
    return failures.reduce((result, failure) => settle(result, failure, record.hasFields), record.result);
  });
}

function settle(result: RecordResult, failure: ProviderFailure, hasFields: boolean): RecordResult {
  if (!result.ok) return result;
  const done = hasFields ? 'The record was updated, an' : 'An';
  const message = `${done} association was not made: ${failure.message}`;
  const isFinal = retryOf(failure.class) === 'never';
  if (isFinal && hasFields) return { ...result, warnings: [...(result.warnings ?? []), message] };
  // Nobody need wonder whether an association that may be made twice was made.
  const isAmbiguous = failure.class === 'unknown' || failure.class === 'timeout';
  return { ok: false, error: { ...failure, message, ...(isAmbiguous && { class: 'unavailable' }) } };
}
