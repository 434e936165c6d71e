import type { Declaration, IdForm } from './declaration';

/** Longest form of an id that any provider is known to have is far below these. [own] */
const forms: Readonly<Record<IdForm, { readonly is: RegExp; readonly rule: string }>> = {
  digits: { is: /^[0-9]{1,20}$/, rule: '1 to 20 digits' },
  word: { is: /^[A-Za-z0-9_-]{1,100}$/, rule: '1 to 100 letters, digits, _ and -' },
  // What no address can hold is refused with the address.
  segment: { is: /^.{1,200}$/s, rule: 'at most 200 characters' },
};

/**
 * Why a text is no id of this provider; undefined when it is one. Asked before it stands in an address or a body.
 * Source: reliability checklist, item 27.
 */
export function recordIdFault({ displayName, update }: Declaration, recordId: string): string | undefined {
  const { is, rule } = forms[update.idForm ?? 'word'];
  return is.test(recordId) ? undefined : `the record id '${recordId.slice(0, 40)}' is none of ${displayName}: ${rule}`;
}
