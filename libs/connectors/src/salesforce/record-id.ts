/** 15 characters that tell upper from lower case, or 18 with a checksum. Source: reference B8. */
const form = /^[A-Za-z0-9]{15}([A-Za-z0-9]{3})?$/;

/** Asked before an id is placed in a URL or a query. Source: reliability checklist, item 27. */
export function isRecordId(text: string): boolean {
  return form.test(text);
}

/** The part that both forms of an id share: input may be either, replies have 18. */
export function idKey(recordId: string): string {
  return recordId.slice(0, 15);
}

/** For `recordKey` of the contract. A text that is no id must not become another one when it is cut. */
export function recordKey(recordId: string): string {
  return isRecordId(recordId) ? idKey(recordId) : recordId;
}

export function isSameRecord(one: string, other: string): boolean {
  return idKey(one) === idKey(other);
}

/** For a refusal without a call. */
export function idRule(recordId: string): string {
  return `id must be a Salesforce id of 15 or 18 letters and digits, not '${recordId.slice(0, 40)}'`;
}
