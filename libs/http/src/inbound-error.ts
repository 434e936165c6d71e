import { RequestError, type SluiceErrorOptions } from '@sluice/errors';

/** A request refused before its content was looked at: path, method, size, encoding, form. */
export class InboundError extends RequestError {
  /** Headers the refusal must carry, for example `Allow` with a 405. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(options: SluiceErrorOptions & { readonly headers?: Readonly<Record<string, string>> }) {
    super(options);
    this.headers = options.headers ?? {};
  }
}
