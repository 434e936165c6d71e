import type { ApiAction } from './api-call';
import { batchReply, missingIds } from './batch-reply';
import { refuseDuplicateIds } from './batch-update';
import { findContact, requireUniqueProperty } from './find-contact';
import { presentRead } from './present-contact';
import { readId, readInputs, readJsonObject, readNames } from './request-body';

/**
 * `POST /crm/v3/objects/contacts/batch/read`: by record id, or by `idProperty`. 200, or 207 that names what is missing.
 * Reads the records themselves: no index lag. Results are in the order of record ids.
 */
export const batchRead: ApiAction = (call) => {
  const body = readJsonObject(call.bodyText);
  const ids = readInputs(body).map(readId);
  const idProperty = typeof body.idProperty === 'string' ? body.idProperty : undefined;
  requireUniqueProperty(idProperty);
  refuseDuplicateIds(idProperty === undefined ? ids : ids.map((id) => id.toLowerCase()));
  const found = ids.map((id) => ({ id, contact: findContact(call.account, id, idProperty) }));
  const contacts = found.flatMap(({ contact }) => (contact ? [contact] : []));
  const missing = found.filter(({ contact }) => !contact).map(({ id }) => id);
  const asked = readNames(body.properties);
  return batchReply(call, 200, {
    results: contacts
      .toSorted((a, b) => Number(a.id) - Number(b.id))
      .map((contact) => presentRead(contact, call.account.portalId, asked)),
    errors: missing.length > 0 ? [missingIds(missing)] : [],
  });
};
