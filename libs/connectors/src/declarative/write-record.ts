import type { CreateWrite, Fields, UpdateWrite } from '../requests';
import type { RecordResult } from '../results';
import { callProvider, type DeclaredApi } from './call-provider';
import { droppedFields, toSent, withCustom } from './custom-fields';
import type { Declaration, DeclaredUpdate, DeclaredWrite, IdForm } from './declaration';
import { plain, uniqueValueOf } from './same-value';
import { type FoundObject, fillBody, fillText, findObject, idAt, recordAt } from './template';

/** Creates one record. A 2xx without an id is a failure: something may have been written. */
export async function create(api: DeclaredApi, declared: DeclaredWrite, write: CreateWrite): Promise<RecordResult> {
  const found = findObject(api.file, write.objectName);
  if ('class' in found) return { ok: false, error: found };
  return perform(api, { operation: 'create', declared, write, found });
}

/** Updates one record by its id, which must have the form that the file declares, or nothing is sent. */
export async function update(api: DeclaredApi, declared: DeclaredUpdate, write: UpdateWrite): Promise<RecordResult> {
  const found = findObject(api.file, write.objectName);
  if ('class' in found) return { ok: false, error: found };
  const message = recordIdFault(api.file, declared, write.recordId);
  if (message !== undefined) return { ok: false, error: { class: 'rejected', scope: 'record', message } };
  return perform(api, { operation: 'update', declared, write, found, recordId: write.recordId });
}

interface Write {
  readonly operation: 'create' | 'update';
  readonly declared: DeclaredWrite;
  readonly write: CreateWrite | UpdateWrite;
  readonly found: FoundObject;
  readonly recordId?: string;
}

async function perform(
  api: DeclaredApi,
  { operation, declared, write, found, recordId }: Write,
): Promise<RecordResult> {
  const { reply, method, path, body } = declared;
  const texts = { ...found.texts, ...(recordId !== undefined && { id: recordId }) };
  const { custom } = found.object;
  const fields = toSent(custom, withoutReserved(write.fields, api.file.reserved?.[operation] ?? []));
  const answer = await callProvider(
    api,
    {
      operation,
      method,
      path,
      texts,
      body: fillBody(body, { texts, wholes: { fields } }),
      success: reply.success,
      mayBeEmpty: reply.empty,
      isKeyed: uniqueValueOf(found.object, write.fields) !== undefined,
    },
    write,
  );
  if (!answer.ok) return { ok: false, error: answer.failure };
  const writtenId = answer.body === undefined ? recordId : idAt(answer.body, fillText(reply.id, texts));
  if (writtenId === undefined) return { ok: false, error: answer.lacking() };
  const data = reply.record === undefined ? undefined : recordAt(answer.body, fillText(reply.record, texts));
  const dropped = droppedFields(found.object, fields, data ?? {});
  const shown = data && withCustom(custom, data);
  const isUnseen = ([name, value]: readonly [string, unknown]) =>
    plain(value) !== '' && !Object.hasOwn(shown ?? {}, name) && !reply.unshown?.includes(name);
  const unseen = reply.complete && shown ? Object.entries(withCustom(custom, fields)).filter(isUnseen) : [];
  const warnings = [
    ...(answer.warning === undefined ? [] : [answer.warning]),
    ...dropped.map(
      (name) => `${api.file.displayName} did not keep what was sent for ${name}: its reply shows another value`,
    ),
    ...unseen.map(([name]) => `${api.file.displayName} shows no ${name} in its reply: it hardly kept it`),
  ];
  return {
    ok: true,
    recordId: writtenId,
    ...(shown && { data: shown }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Planning leaves them out and reports it; this is for writes that were planned otherwise. */
function withoutReserved(fields: Fields, reserved: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !reserved.includes(name)));
}

/** Longest form of an id that any provider is known to have is far below these. [own] */
const forms: Readonly<Record<IdForm, { readonly is: RegExp; readonly rule: string }>> = {
  digits: { is: /^[0-9]{1,20}$/, rule: '1 to 20 digits' },
  word: { is: /^[A-Za-z0-9_-]{1,100}$/, rule: '1 to 100 letters, digits, _ and -' },
  // What no address can hold is refused with the address.
  segment: { is: /^.{1,200}$/s, rule: 'at most 200 characters' },
};

/**
 * Why a text is no id of this provider; undefined when it is one. Tested before it is put into an address or a body.
 * Source: reliability checklist, item 27.
 */
function recordIdFault(
  { displayName }: Declaration,
  { idForm = 'word' }: DeclaredUpdate,
  recordId: string,
): string | undefined {
  const { is, rule } = forms[idForm];
  return is.test(recordId) ? undefined : `the record id '${recordId.slice(0, 40)}' is none of ${displayName}: ${rule}`;
}
