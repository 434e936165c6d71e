import { choice, listOf, openObject, text, type Described } from './json-schema';
import { manifestIntegrationSchema } from './manifest';

export const manifestPreviewSchema = openObject('The changes that a deployment would make.', ['integrations'], {
  // In the order of the manifest.
  integrations: listOf(
    'The integrations of the manifest. Others stay as they are.',
    openObject('An integration of the manifest.', ['name', 'provider', 'change', 'after'], {
      name: text('Its name.'),
      provider: text('The SaaS provider.'),
      // `revised`: it gets a new revision. `unchanged`: an equal content makes none.
      change: choice('The change that would be made.', ['created', 'revised', 'unchanged']),
      integrationId: text('The integration there is.'),
      // The content in force. Absent: there is none.
      before: manifestIntegrationSchema,
      after: manifestIntegrationSchema,
    }),
  ),
});
/** What a deployment of a manifest would do. Our addition to the published API; see rulings. */
export type ManifestPreview = Described<typeof manifestPreviewSchema>;
export type IntegrationPreview = ManifestPreview['integrations'][number];
