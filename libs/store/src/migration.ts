import type { Knex } from 'knex';

/** One step of the schema's history. It only adds: an older process runs beside a newer schema (libs/store/README.md, "Migrations"). */
export interface Migration {
  /** `<UTC moment>-<what it does>`; the order of the names is the order of the steps. */
  readonly name: string;
  readonly up: (knex: Knex) => Promise<void>;
}
