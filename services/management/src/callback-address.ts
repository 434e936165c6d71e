import type { ManagementConfig } from './config';

/** Where providers send customers back to. Source: published API. */
export const callbackPath = '/callbacks/v1/oauth';

/** The redirect address that is registered at a provider. */
export function callbackUrl({ publicUrl, port }: Pick<ManagementConfig, 'publicUrl' | 'port'>): string {
  return `${publicAddress({ publicUrl, port })}${callbackPath}`;
}

/** Where others reach this service; its paths start with `/v1`. */
export function publicAddress({ publicUrl, port }: Pick<ManagementConfig, 'publicUrl' | 'port'>): string {
  return publicUrl ?? `http://127.0.0.1:${port}`;
}
