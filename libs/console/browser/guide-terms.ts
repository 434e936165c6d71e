/** Where the guide explains the words of the console: a page of `docs/guides`, with the heading behind `#`. */
export const guideTerms = {
  console: 'console',
  quickstart: 'quickstart',
  'console overview': 'console#overview',
  operation: 'concepts#what-a-write-becomes',
  outcome: 'concepts#what-a-write-becomes',
  lane: 'console#lanes',
  held: 'connecting#when-access-ends',
  'auto-batch': 'writing#auto-batches',
  retry: 'operate#replay',
  'dry run': 'writing#see-the-plan-first',
  customer: 'concepts#what-a-customer-adds',
  manifest: 'manifest-and-config#the-manifest',
  mapping: 'mapping',
  scope: 'concepts#who-may-call',
  'provider app': 'connecting#with-a-page-of-the-provider',
  'app at hubspot': 'connect-hubspot#with-an-oauth-app-for-your-customers',
  'app at salesforce': 'connect-salesforce#with-the-oauth-page-for-your-customers',
  webhook: 'notifications#make-an-endpoint',
  signature: 'notifications#receive',
  'failing endpoint': 'notifications#when-your-receiver-fails',
} as const;

export type GuideTerm = keyof typeof guideTerms;
