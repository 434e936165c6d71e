import type { ApiAction } from './api-call';
import { checkWrite } from './check-write';
import { presentCreated } from './present-contact';
import { readAssociations, readJsonObject, readProperties } from './request-body';
import { definitionProblems, normaliseValues, propertiesInvalid } from './validate-properties';

/** `POST /crm/v3/objects/contacts` -> 201 with `Location` and the wide record. */
export const createContact: ApiAction = ({ account, bodyText, now, origin, refusals }) => {
  const body = readJsonObject(bodyText);
  const sent = readProperties(body);
  const associations = readAssociations(body);
  const unknown = definitionProblems(sent);
  if (unknown.length > 0) throw propertiesInvalid(unknown);
  const values = normaliseValues(sent);
  const failure = checkWrite(account, values, { refusal: refusals.get(0) });
  if (failure) throw failure;
  const contact = account.contacts.create(values, now, associations);
  return {
    status: 201,
    headers: { location: `${origin}/crm/v3/objects/contacts/${contact.id}` },
    body: presentCreated(contact, account.portalId),
  };
};
