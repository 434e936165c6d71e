import { choice, listOf, openObject, text } from './json-schema';
import { manifestIntegrationSchema, type ManifestIntegration } from './manifest';

const changes = ['created', 'revised', 'unchanged'] as const;

/** What a deployment of a manifest would do. Our addition to the published API; see rulings. */
export interface ManifestPreview {
  /** In the order of the manifest. */
  readonly integrations: readonly IntegrationPreview[];
}

export interface IntegrationPreview {
  readonly name: string;
  readonly provider: string;
  /** `revised`: it gets a new revision. `unchanged`: an equal content makes none. */
  readonly change: (typeof changes)[number];
  /** Of the integration there is. */
  readonly integrationId?: string;
  /** The content in force. Absent: there is none. */
  readonly before?: ManifestIntegration;
  readonly after: ManifestIntegration;
}

export const manifestPreviewSchema = openObject('The changes that a deployment would make.', ['integrations'], {
  integrations: listOf(
    'The integrations of the manifest. Others stay as they are.',
    openObject('An integration of the manifest.', ['name', 'provider', 'change', 'after'], {
      name: text('Its name.'),
      provider: text('The SaaS provider.'),
      change: choice('The change that would be made.', changes),
      integrationId: text('The integration there is.'),
      before: manifestIntegrationSchema,
      after: manifestIntegrationSchema,
    }),
  ),
});
