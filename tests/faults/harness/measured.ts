import type { Addresses } from '../../harness/addresses';
import type { Customer } from '../../harness/customer';

/** What a load and the checker need to know of a running system: processes on this machine, or pods of a cluster. */
export interface Measured {
  /** `{write_url}` of both gateways, with `/v1`; the same twice where something balances between them. */
  readonly writeUrls: readonly [string, string];
  /** Two customers of one project: of HubSpot (contacts) and of Salesforce (Contact). */
  readonly customers: readonly [Customer, Customer];
  /** What the harness of the black-box tests takes (`createAccount`, `createCustomer`, `createProject`). */
  readonly stack: Addresses;
  readonly timeScale: number;
  /** The database's address without a proxy between. */
  serviceUrl(name: 'postgres'): string;
  /** Certificates for it; absent where it talks no TLS. */
  readonly databaseTls?: { readonly ca?: string } | undefined;
  /** Folders in which no secret may stand: logs, and what Kafka keeps. */
  readonly openFolders: readonly string[];
  /** Secrets that were seeded: keys and tokens. */
  readonly secrets: readonly string[];
}

/** What one load is sent with. */
export interface LoadContext {
  readonly world: Measured;
  readonly isFull: boolean;
  /** From 0 up to 1; the same sequence for the same seed and row. */
  readonly random: () => number;
  /** Unique to this run: the beginning of every marker, so that rows that share a world do not meet. */
  readonly run: string;
}
