import { openSandboxAccount, type SandboxAccount } from '../clients/sandbox-client';
import { sandboxAccounts } from './demo-settings';

/** The CRMs of the demo, which keep their tokens and records when they are there already. */
export function openSandboxAccounts(sandboxUrl: string): Promise<SandboxAccount[]> {
  return Promise.all(sandboxAccounts.map((account) => openSandboxAccount(sandboxUrl, account)));
}
