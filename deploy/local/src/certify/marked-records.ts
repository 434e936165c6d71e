import type { Auth, Connector } from '@sluice/connectors';
import type { Subject } from './subjects';

/** The form of a mark: see `newRunName`. */
const markForm = /^(sluice-certify-\d{8}-[0-9a-f]{6})-\d+(?:@example\.com)?$/;

/** A record that some run left, whether or not anybody noted it. */
export interface FoundRecord {
  readonly run: string;
  readonly mark: string;
  readonly objectName: string;
  readonly id: string;
}

/**
 * Every record in the account that carries the mark of any run: of a run on another machine, or one whose journal is lost. One page,
 * because a run makes a dozen records at most.
 * @returns undefined where records cannot be found without knowing their mark
 */
export async function findMarked(
  connector: Connector,
  auth: Auth,
  { objectName, constantField: field, markField, fields: fieldsOf }: Subject,
): Promise<FoundRecord[] | undefined> {
  const { search } = connector.capabilities;
  if (field === undefined || !connector.search || search === false) return undefined;
  const filters = [{ field, value: String(fieldsOf('')[field]) }];
  const found = await connector.search({ auth, objectName, filters, fields: [markField], limit: search.limit });
  return found.flatMap(({ id, fields }) => {
    const mark = String(fields[markField]).replace(/@example\.com$/, '');
    const run = markForm.exec(mark)?.[1];
    return run === undefined ? [] : [{ run, mark, objectName, id }];
  });
}
