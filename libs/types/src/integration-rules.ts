import type { Issue } from '@sluice/errors';
import { bodyIssue } from './body-issue';
import type { CreateIntegrationRequest } from './integration';
import { checkManifestIntegration } from './manifest-rules';

/** Rules of a create-integration body: name and provider are said twice and must agree; then those of the manifest. */
export function checkCreateIntegrationRequest(body: CreateIntegrationRequest): Issue[] {
  const { content } = body.latestRevision;
  const path = 'latestRevision.content';
  const issues = (['name', 'provider'] as const)
    .filter((member) => content[member] !== body[member])
    .map((member) =>
      bodyIssue(`${path}.${member}`, `must be ${body[member]}, the ${member} of the integration`, content[member]),
    );
  return [...issues, ...checkManifestIntegration(content, path)];
}
