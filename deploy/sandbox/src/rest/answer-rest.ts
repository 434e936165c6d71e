import type { CallContext, ReceivedCall } from '../control/imitated-provider';
import { readJson } from '../crm/json-body';
import type { RestData } from './rest-data';
import { findCall } from './rest-style';
import type { Fields, FoundCall, RestObject, RestRefusal, RestReply, RestStyle } from './rest-style';

/** An account as answering needs it. */
interface AnsweringAccount {
  readonly style: RestStyle;
  readonly data: RestData;
  readonly workspaceRef: string;
}

/** What the provider answers to an admitted call, with everything that follows from it in the data. */
export function answerRest(account: AnsweringAccount, call: ReceivedCall, context: CallContext): RestReply {
  const { style, workspaceRef } = account;
  if (style.isOver?.(call, context.now)) {
    const message = 'This revision is retired.';
    return style.refused({ reason: 'status', status: 410, code: 'revision_retired', message });
  }
  const found = findCall(style, call.method, call.path);
  if (!found) return style.refused({ reason: 'no-object' });
  const refusal = context.refusals.get(0);
  if (refusal) return style.refused({ reason: 'form', code: refusal.code, message: refusal.message });
  switch (found.action) {
    case 'account-details':
      return { status: 200, body: style.account(workspaceRef) };
    case 'fields':
      return describe(style, call, found);
    case 'search':
      return search(account, call, { found, context });
    default:
      return write(account, call, { found, context });
  }
}

interface Admitted {
  readonly found: FoundCall;
  readonly context: CallContext;
}

function write({ style, data }: AnsweringAccount, call: ReceivedCall, { found, context }: Admitted): RestReply {
  const object = objectNamed(style, found.params['object']);
  if (!object) return style.refused({ reason: 'no-object' });
  if (!/^application\/json\b/i.test(call.contentType)) return style.refused({ reason: 'status', status: 415 });
  const { id } = found.params;
  const fields = style.fieldsOf(readJson(call.bodyText), object, id);
  if (!fields) return style.refused({ reason: 'form' });
  const isCreate = found.action === 'create';
  const current = id === undefined ? undefined : data.findOf(object.name, id);
  if (!isCreate && !current) return style.refused({ reason: 'no-record' });
  const refusal = refusalOf(object, fields, isCreate) ?? duplicate(data, object, fields, current?.id);
  if (refusal) return style.refused(refusal);
  const isTaken = (name: string) => !object.kept?.includes(name) || (current?.fields[name] ?? '') === '';
  const taken = Object.fromEntries(Object.entries(fields).filter(([name]) => isTaken(name)));
  const record = current ? data.update(current, taken, context.now) : data.create(object.name, fields, context.now);
  const status = isCreate ? (style.createdStatus ?? 201) : 200;
  return { status, body: style.written(record, object, isCreate ? 'create' : 'update') };
}

function refusalOf(object: RestObject, fields: Fields, isCreate: boolean): RestRefusal | undefined {
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(object.fields, name));
  if (unknown !== undefined) return { reason: 'unknown-field', field: unknown };
  const missing = isCreate ? object.required.find((name) => (fields[name] ?? '') === '') : undefined;
  return missing === undefined ? undefined : { reason: 'required', field: missing };
}

function duplicate(
  data: RestData,
  object: RestObject,
  fields: Fields,
  ownId: string | undefined,
): RestRefusal | undefined {
  const [conflict] = data.conflicts(object.name, fields, ownId);
  return conflict && { reason: 'duplicate', field: conflict.field, existingId: conflict.existing.id };
}

function search({ style, data }: AnsweringAccount, call: ReceivedCall, { found, context }: Admitted): RestReply {
  const sent = { call, body: call.bodyText === '' ? undefined : readJson(call.bodyText) };
  const object = objectNamed(style, found.params['object'] ?? style.searched?.(sent));
  if (!object) return style.refused({ reason: 'no-object' });
  const conditions = style.conditions(sent);
  if (!conditions) return style.refused({ reason: 'form' });
  const unknown = conditions.find(([name]) => !Object.hasOwn(object.fields, name));
  if (unknown) return style.refused({ reason: 'unknown-field', field: unknown[0], isSearch: true });
  const settled = new Date(context.now.getTime() - context.settings.searchLagMs).toISOString();
  const records = data.search(object.name, conditions, { isAlike: style.findsAlike ?? false, settled });
  const body = style.found(records, object);
  return body === undefined ? { status: 204 } : { status: 200, body };
}

function describe(style: RestStyle, call: ReceivedCall, { params }: FoundCall): RestReply {
  const object = objectNamed(style, style.describedBy?.(call, params['fieldsOf'] ?? ''));
  if (!object || !style.fields) return style.refused({ reason: 'no-object' });
  return { status: 200, body: style.fields(object) };
}

function objectNamed({ objects }: RestStyle, name: string | undefined): RestObject | undefined {
  return objects.find((object) => object.name === name);
}
