/** A value, or the rule its text breaks: a phrase that continues "SLUICE_PORT …". It never repeats the text. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly rule: string };

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const broken = (rule: string): Parsed<never> => ({ ok: false, rule });
