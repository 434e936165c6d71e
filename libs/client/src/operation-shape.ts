/** How an operation goes over the wire. */
export interface OperationShape {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Template relative to the base URL: `/projects/{projectIdOrName}`. */
  readonly path: string;
  /** Names of parameters that go into the query. */
  readonly query: readonly string[];
  /** Whether it takes a body. */
  readonly body?: true;
}

/** What an operation takes and answers; generated, one per operation. */
export interface OperationTypes {
  readonly params: object;
  readonly reply: unknown;
}

/** What came back, whatever its status. */
export interface Reply<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined when there was none. Of this type only when the status is one of success. */
  readonly body: T;
  /** From sending to the last byte. */
  readonly tookMs: number;
}

export interface CallOptions {
  /** Makes a repeat safe: the first reply comes again. Sent as `Idempotency-Key`. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Parameters may be left out where none is needed. */
type Arguments<P> = object extends P ? [params?: P, options?: CallOptions] : [params: P, options?: CallOptions];

/** A method per operation. Throws SluiceApiError for every reply that is no success. */
export type Api<O> = {
  readonly [K in keyof O]: O[K] extends OperationTypes
    ? (...given: Arguments<O[K]['params']>) => Promise<O[K]['reply']>
    : never;
};

/** A method per operation that gives every reply as it is and repeats nothing. */
export type RawApi<O> = {
  readonly [K in keyof O]: O[K] extends OperationTypes
    ? (...given: Arguments<O[K]['params']>) => Promise<Reply<O[K]['reply']>>
    : never;
};
