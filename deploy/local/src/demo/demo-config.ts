import type { ConfigContent } from '@sluice/types';
import type { CrmWords } from '../tour/crm/crm';
import { hubspotWords } from '../tour/crm/hubspot-crm';
import { salesforceWords } from '../tour/crm/salesforce-crm';

const words: Readonly<Record<string, CrmWords>> = { hubspot: hubspotWords, salesforce: salesforceWords };

/**
 * What a customer of the demo chose: the field behind the builder's `position`, a default for new people, and that a phone
 * number which stands in the CRM is never written over. Deletion stays off.
 */
export function demoConfig(provider: string): ConfigContent {
  const chosen = words[provider];
  if (chosen === undefined) return { provider };
  const { people: objectName, title, phone, defaulted } = chosen;
  const selectedFieldSettings = {
    [defaulted.field]: { default: { stringValue: defaulted.value }, writeOnUpdate: 'never' },
    [phone]: { writeOnUpdate: 'ifEmpty' },
  } as const;
  return {
    provider,
    read: { objects: { [objectName]: { objectName, selectedFieldMappings: { position: title } } } },
    write: { objects: { [objectName]: { objectName, selectedFieldSettings } } },
  };
}
