import type { ApiAction } from './api-call';
import { getContact } from './find-contact';
import { presentRead } from './present-contact';

/** `GET /crm/v3/objects/contacts/{id}?properties=a,b[&idProperty=]` -> 200. `properties` may also be repeated. */
export const readContact: ApiAction = ({ account, params, query }) => {
  const contact = getContact(account, params.id ?? '', query.get('idProperty') ?? undefined);
  const asked = query
    .getAll('properties')
    .flatMap((names) => names.split(','))
    .filter(Boolean);
  return { status: 200, body: presentRead(contact, account.portalId, asked) };
};
