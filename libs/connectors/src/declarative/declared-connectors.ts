import type { Logger, Metrics } from '@sluice/telemetry';
import type { Connector } from '../connector';
import type { HttpClient } from '../http-client';
import { createDeclaredApi } from './call-provider';
import { createDeclaredConnector } from './connector';
import type { Declaration } from './declaration';
import { isLoopback } from './host-rules';
import { namesIn } from './template';

export interface DeclaredConnectorsOptions {
  readonly files: readonly Declaration[];
  /** In place of every host of the files: `{override}/{provider}` before the path. For the sandbox. */
  readonly override: string | undefined;
  /** Not of the files whose every host is this machine. */
  readonly keepsLoopback: boolean;
  /** @param trusted origins that need not be public, beside the client's own */
  readonly clientOf: (baseUrl: string, ...trusted: readonly string[]) => HttpClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Every request names its origin; nothing is at this one (RFC 2606). */
const nowhere = 'https://declared.invalid';

/** A connector per file. They share one client, so connections are counted and closed together. */
export function createDeclaredConnectors(options: DeclaredConnectorsOptions): Connector[] {
  const { files, override, keepsLoopback, clientOf, logger, metrics } = options;
  // A host without variables is the operator's choice, as an address in the settings is.
  const fixed = files.map(({ baseUrl }) => baseUrl).filter((url) => namesIn(url).length === 0);
  const client = clientOf(override ?? nowhere, ...fixed);
  return files.map((file) => {
    const isKept = override === undefined || (keepsLoopback && isLoopback(file));
    const base = isKept ? undefined : `${override.replace(/\/+$/, '')}/${file.name}`;
    return createDeclaredConnector(createDeclaredApi({ file, client, override: base, logger, metrics }));
  });
}
