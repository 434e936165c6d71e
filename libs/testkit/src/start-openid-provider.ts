import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface OpenIdProviderOfTest {
  readonly issuer: string;
  stop(): void;
}

/** A real OpenID provider (oidc-provider) as a process: it is made of ES modules. Its client's secret is `secret-of-the-console`. */
export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProviderOfTest> {
  const script = join(__dirname, '..', 'openid-provider.mjs');
  const child = spawn(process.execPath, [script, redirectUri], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { issuer: String(line).trim(), stop: () => void child.kill() };
}

/** The settings with which management lets its people in. */
export const signInSettings = (issuer: string) => ({
  SLUICE_OIDC_ISSUER: issuer,
  SLUICE_OIDC_CLIENT_ID: 'console',
  SLUICE_OIDC_CLIENT_SECRET: 'secret-of-the-console',
  SLUICE_OIDC_VIEWERS: 'sluice-viewer',
  SLUICE_OIDC_OPERATORS: 'sluice-operator,sluice-lead',
  SLUICE_OIDC_ADMINS: 'sluice-admin',
});
