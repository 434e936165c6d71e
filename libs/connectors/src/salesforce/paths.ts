import { fieldSteps } from '@sluice/types';

/** API version. Collections need v42, the duplicate-rule header v52. Source: reference B1, B3, B6. */
const version = 'v66.0';
const root = `/services/data/${version}`;

/** The form of every object and field name of Salesforce. Source: reliability checklist, item 25. */
const identifier = '[A-Za-z][A-Za-z0-9_]{0,79}';
const objectForm = new RegExp(`^${identifier}$`);
const fieldForm = new RegExp(`^${identifier}(\\.${identifier}){0,4}$`);

/** An object name that is allowed in a path, a query or an `attributes.type`. */
export function isObjectName(name: string): boolean {
  return objectForm.test(name);
}

/** A field name, or a path over relationships: `Account.Owner.Name`. It cannot be escaped, so it must have this form. */
export function isFieldPath(name: string): boolean {
  return fieldForm.test(name);
}

/** What the parts of a compound field are called in it. Source: Salesforce, "Address Compound Fields". */
const partsOfPlace = /^(street|city|state(code)?|postalcode|country(code)?|latitude|longitude|geocodeaccuracy)$/i;
const partsOfName = /^(salutation|firstname|middlename|informalname|lastname|suffix)$/i;

/**
 * The field that a path in brackets means. `$['BillingAddress']['city']` is `BillingCity`, `$['Home__c']['city']` is `Home__City__s`.
 * `$['Account']['Name']` is `Account.Name`. Compound fields are read-only and cannot be filtered, their components are the same data. Source:
 * Salesforce, Object Reference, "Compound Field Considerations and Limitations".
 */
export function componentOf(name: string): string | undefined {
  const steps = fieldSteps(name);
  const [compound = '', inner] = steps.slice(-2);
  if (inner === undefined) return compound;
  const part = partsOfPlace.test(inner) ? inner.charAt(0).toUpperCase() + inner.slice(1) : undefined;
  const [, standard] = /^(\w*)Address$/i.exec(compound) ?? [];
  const [, custom] = /^(\w+)__c$/i.exec(compound) ?? [];
  let component = partsOfName.test(inner) && /^name$/i.test(compound) ? inner : undefined;
  if (part !== undefined && standard !== undefined) component = `${standard}${part}`;
  if (part !== undefined && custom !== undefined) component = `${custom}__${part}__s`;
  const path = [...steps.slice(0, -2), ...(component === undefined ? [compound, inner] : [component])].join('.');
  return isFieldPath(path) && !/^attributes\./i.test(path) ? path : undefined;
}

/** Every path. The only place that spells one; names and ids are percent-encoded, so none can add a segment. */
export const paths = {
  /** Create. */
  objects: (objectName: string) => `${root}/sobjects/${encodeURIComponent(objectName)}`,
  /** Update and delete. */
  object: (objectName: string, recordId: string) => `${paths.objects(objectName)}/${encodeURIComponent(recordId)}`,
  describe: (objectName: string) => `${paths.objects(objectName)}/describe`,
  /** Create and update of several records. */
  collections: `${root}/composite/sobjects`,
  /** Read by ids. */
  retrieve: (objectName: string) => `${paths.collections}/${encodeURIComponent(objectName)}`,
  /** Create or update by an external id. */
  upserts: (objectName: string, field: string) => `${paths.retrieve(objectName)}/${encodeURIComponent(field)}`,
  query: (soql: string, resource: 'query' | 'queryAll' = 'query') =>
    `${root}/${resource}?q=${encodeURIComponent(soql)}`,
  userinfo: '/services/oauth2/userinfo',
  authorize: '/services/oauth2/authorize',
  token: '/services/oauth2/token',
} as const;

export function objectRule(objectName: string): string {
  return `the object '${objectName.slice(0, 80)}' has no Salesforce name: a letter, then letters, digits and _, at most 80`;
}
