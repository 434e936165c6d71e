export const auth = { accessToken: '00Dak00000TestAA!AQ.secret', workspaceRef: 'acme' };
export const contacts = { auth, objectName: 'Contact' };
export const root = '/services/data/v66.0';
export const objects = `${root}/sobjects/Contact`;
export const collections = `${root}/composite/sobjects`;
export const [idA, idB] = ['003ak00000000AAAAA', '003ak00000000BBAAA'] as const;

/** Shapes of the public documentation, with invented values. Source: reference B2, B3, B5, B7. */
export const refused = (errorCode: string, message: string, fields: string[] = []) => [{ message, errorCode, fields }];
export const refusedItem = (statusCode: string, message: string, fields: string[] = []) => ({
  success: false,
  errors: [{ statusCode, message, fields }],
});
export const done = (id: string) => ({ id, success: true, errors: [] });
export const record = (id: string, fields: object) => ({
  attributes: { type: 'Contact', url: `${objects}/${id}` },
  Id: id,
  ...fields,
});
/** A page of a query. */
export const page = (...records: object[]) => ({
  status: 200,
  body: { totalSize: records.length, done: true, records },
});
/** A field of a description that can be read, written and filtered. */
export const field = (name: string, type = 'string', rest: object = {}) => ({
  name,
  type,
  label: name,
  filterable: true,
  createable: true,
  updateable: true,
  nillable: true,
  defaultedOnCreate: false,
  calculated: false,
  autoNumber: false,
  custom: name.endsWith('__c'),
  externalId: false,
  unique: false,
  htmlFormatted: false,
  referenceTo: [],
  relationshipName: null,
  picklistValues: [],
  ...rest,
});
/** A query as it was sent; undefined for another call. */
export function soqlOf(path: string | undefined): string | undefined {
  const url = new URL(`http://x${path}`);
  return [`${root}/query`, `${root}/queryAll`].includes(url.pathname)
    ? (url.searchParams.get('q') ?? undefined)
    : undefined;
}
