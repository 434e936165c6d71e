import { createCustomer, type Customer } from './customer';
import { startStack, type OwnStack } from './stack';

/** A stack with one HubSpot customer, and what programs that send many writes need of both. */
export interface System extends Pick<OwnStack, 'processes' | 'logLines' | 'stop'> {
  readonly key: string;
  readonly projectId: string;
  /** Name of the customer's account at the sandbox. */
  readonly account: string;
  /** Where writes of contacts go. */
  readonly writeUrl: string;
  readonly body: { readonly groupRef: string };
  readonly operation: Customer['operation'];
}

export interface SystemOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** How long the sandbox takes for a call. @default 15 */
  readonly latencyMs?: number;
}

export async function startSystem({ env = {}, latencyMs = 15 }: SystemOptions = {}): Promise<System> {
  const stack = await startStack({ env });
  try {
    const objects = { read: ['contacts'], write: ['contacts'] };
    const customer = await createCustomer(stack, { provider: 'hubspot', accountOptions: { latencyMs }, ...objects });
    const { project, account, groupRef, integrationId } = customer;
    const writeUrl = `${stack.writeUrl}/projects/${project.id}/integrations/${integrationId}/objects/contacts`;
    return {
      processes: stack.processes,
      logLines: () => stack.logLines(),
      stop: () => stack.stop(),
      key: project.key,
      projectId: project.id,
      account: account.name,
      writeUrl,
      body: { groupRef },
      operation: (id) => customer.operation(id),
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
