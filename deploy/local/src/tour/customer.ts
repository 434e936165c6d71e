import type { SluiceClient } from '../clients/sluice-client';
import type { DemoCustomer } from '../demo/demo-settings';
import type { Integration } from '@sluice/types';
import type { Crm } from './crm/crm';

/** An integration of the demo, and the CRM behind it. */
export interface Place {
  readonly integration: Pick<Integration, 'id' | 'name' | 'provider'>;
  readonly sluice: SluiceClient;
  readonly crm: Crm;
  /** How to open the CRM. */
  readonly access: Pick<DemoCustomer, 'provider' | 'token' | 'workspaceRef'>;
}

/** A customer of this run, installed at a place. */
export interface Customer extends Place {
  readonly groupRef: string;
}

/** A person whom the customer's CRM has. */
export interface Person {
  readonly id: string;
  /** Provider field to value, as written. */
  readonly fields: Readonly<Record<string, string>>;
}
