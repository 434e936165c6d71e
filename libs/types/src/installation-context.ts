import type { ConfigContent } from './config-content';
import type { ManifestIntegration } from './manifest';

/**
 * Everything a write or a search needs to know of an installation, resolved from names and a `groupRef`.
 * The ids pin what was read: an accept compares them in SQL and plans again when one has changed.
 */
export interface InstallationContext {
  readonly projectId: string;
  readonly integrationId: string;
  readonly revisionId: string;
  readonly installationId: string;
  readonly groupRef: string;
  readonly provider: string;
  readonly configId: string;
  readonly connectionId: string;
  /** The lane of the connection: one provider account. */
  readonly laneId: string;
  readonly manifest: ManifestIntegration;
  readonly config: ConfigContent;
  /** Preview of the specification ("drop unmapped fields"), a switch of the project. */
  readonly dropUnmappedFields: boolean;
}
