import type { ApiAction } from './api-call';
import { checkWrite } from './check-write';
import { getContact } from './find-contact';
import { presentUpdated } from './present-contact';
import { readJsonObject, readProperties } from './request-body';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

/** `PATCH /crm/v3/objects/contacts/{id}[?idProperty=]` -> 200. */
export const updateContact: ApiAction = ({ account, params, query, bodyText, now, refusals }) => {
  const sent = readProperties(readJsonObject(bodyText));
  const contact = getContact(account, params.id ?? '', query.get('idProperty') ?? undefined);
  const unknown = definitionProblems(sent);
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  const values = normaliseValues(sent);
  const failure = checkWrite(account, values, { ownId: contact.id, refusal: refusals.get(0) });
  if (failure) throw failure;
  const updated = account.contacts.update(contact, values, now);
  return { status: 200, body: presentUpdated(updated, account.portalId, values) };
};
