import { allRead, type Auth, type Connector, type Fields } from '@sluice/connectors';
import type { ConnectorHarness, Fixture, WrittenObject } from '@sluice/connectors/conformance';
import { NotTried } from './finding';

/** An account with the means to look into it. */
export interface Account {
  readonly connector: Connector;
  readonly auth: Auth;
  readonly fixture: Fixture;
}

/** What the conformance suite needs of a real account. @param run stands in the mark of each record */
export function accountHarness(account: Account, run: string): ConnectorHarness {
  const { connector, auth, fixture } = account;
  const { link } = fixture;
  const fieldsOf = (object: WrittenObject) => (seed: string) => object.fields(`${run}-${seed}`);
  return {
    ...fixture,
    connector,
    auth,
    badAuth: { ...auth, accessToken: spoiled(auth.accessToken) },
    fields: fieldsOf(fixture),
    count: (fields) => countOf(account, fields),
    visibleWithinMs: visibleWithinMs(account, fixture),
    ...(link && {
      linked: {
        ...link.object,
        fields: fieldsOf(link.object),
        association: (id) => ({ to: { id }, types: link.types }),
        isLinked: async (recordId, targetId) => {
          const filters = [{ field: link.searchedBy, value: targetId }];
          const asked = { auth, objectName: fixture.objectName, filters, fields: [fixture.markField], limit: 10 };
          return (await connector.search?.(asked))?.records.some(({ id }) => id === recordId) === true;
        },
      },
    }),
  };
}

/** A token of the same form that opens nothing: its last characters are reversed. */
function spoiled(token: string): string {
  const tail = token.slice(-12);
  const turned = tail.split('').toReversed().join('');
  return token.slice(0, -12) + (turned === tail ? `${turned.slice(1)}0` : turned);
}

/** How long an index may lag behind a write, in milliseconds; ten seconds more for the provider's clock. */
export function visibleWithinMs({ connector }: Account, object: WrittenObject): number {
  return connector.visibilityMs(object.objectName, object.fields('x')) + 10_000;
}

/** @throws NotTried where the account does not show what would have to be compared */
async function countOf(account: Account, fields: Fields): Promise<number> {
  const { connector, fixture } = account;
  if (!connector.search && !connector.readBatch) throw new NotTried('accepted, not read back: there is no search');
  const mark = String(fields[fixture.markField]);
  const found = await findMarked(account, fixture, { mark, fields: Object.keys(fields) });
  const hidden = Object.keys(fields).filter((name) => found.some((record) => record.fields[name] === undefined));
  if (hidden.length > 0) throw new NotTried(`accepted, not read back: a search does not show ${hidden.join(', ')}`);
  return found.filter((record) => Object.entries(fields).every(([name, value]) => isSame(record.fields[name], value)))
    .length;
}

interface Looked {
  readonly mark: string;
  /** What is to be shown. @default the field of the mark */
  readonly fields?: readonly string[];
}

/** The records that carry a mark: by the store where the provider has it as a unique field, else by a search, whose index may lag. */
export async function findMarked({ connector, auth }: Account, object: WrittenObject, { mark, fields }: Looked) {
  const { objectName, markField: name, uniqueField } = object;
  const asked = { auth, objectName, fields: fields ?? [name] };
  if (uniqueField === name && connector.readBatch) {
    const read = await connector.readBatch({ ...asked, byProperty: { name, values: [mark] } });
    return allRead(read).filter((record) => record !== undefined);
  }
  const found = await connector.search?.({ ...asked, filters: [{ field: name, value: mark }], limit: 10 });
  // Where search is fuzzy, what carries another mark is not ours.
  return (found?.records ?? []).filter((record) => isSame(record.fields[name], mark));
}

/** Emails come back in lower case. */
function isSame(stored: unknown, sent: unknown): boolean {
  return String(stored).toLowerCase() === String(sent).toLowerCase();
}
