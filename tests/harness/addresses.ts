/** Where the services of one stack are reached, and what keeps its names apart from those of another. */
export interface Addresses {
  /** Differs between stacks: part of names that must not meet. */
  readonly portBase: number;
  readonly adminKey: string;
  /** The three base URLs, with their `/v1`. */
  readonly baseUrl: string;
  readonly searchUrl: string;
  readonly writeUrl: string;
  readonly sandboxUrl: string;
  /** What clients of a project send with. @default that of Node */
  readonly fetch?: typeof fetch;
}
