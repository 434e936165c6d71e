import { hubspotPage } from './hubspot/page';
import type { ProviderPage } from './provider-page';
import { salesforcePage } from './salesforce/page';

/** The providers that are code; one that is a file says what it knows in the file. */
export const providerPages: readonly ProviderPage[] = [hubspotPage, salesforcePage];
