import type { LedgerEntry } from '@sluice/sandbox';

/** What a CRM calls the things that the tour writes. */
export interface CrmWords {
  /** The object that holds people. */
  readonly people: string;
  readonly email: string;
  readonly lastname: string;
  readonly phone: string;
  /** The field that the customer maps to the builder's name `position`. */
  readonly title: string;
  /** A field that the config fills when a create leaves it out, and its value. */
  readonly defaulted: { readonly field: string; readonly value: string };
  /** A value that no person may have, and the field it does not fit. */
  readonly wrong: { readonly field: string; readonly value: string };
}

/** A customer's CRM, asked directly: what the tour believes about it never comes from Sluice. */
export interface Crm {
  /** As a person says it. */
  readonly name: string;
  readonly words: CrmWords;
  /** The values of a person by id; undefined when there is no such record (any more). */
  read(id: string, fields: readonly string[]): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** What the customer changes himself. */
  type(id: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /** Starts watching. @returns what was called since: everything but the batches that leave in the background */
  watch(): Promise<() => Promise<readonly LedgerEntry[]>>;
}
