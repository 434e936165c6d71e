import { configSchema, type Config } from './config';
import { connectionSchema, type Connection } from './connection';
import { groupSchema, type Group } from './group';
import { choice, momentText, openObject, text } from './json-schema';
import type { OperationStatus } from './operation';

/** `unhealthy` while the connection is `bad_credentials` or the last 5 operations that ended failed. Spec is silent; see rulings. */
export const healthStatuses = ['healthy', 'unhealthy'] as const;
export type HealthStatus = (typeof healthStatuses)[number];

/** Binds an integration, a group, a connection and a configuration. Source: specification, Installation. */
export interface Installation {
  readonly id: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly group?: Group;
  readonly healthStatus: HealthStatus;
  /** Status of the operation that was created last. */
  readonly lastOperationStatus?: OperationStatus;
  readonly connection: Connection;
  readonly createTime: string;
  /** `consumer:<consumerRef>`. */
  readonly createdBy: string;
  /** When a config was last written. */
  readonly updateTime?: string;
  readonly config: Config;
}

export const installationSchema = openObject(
  'An integration that a group has installed.',
  ['id', 'projectId', 'integrationId', 'healthStatus', 'connection', 'createTime', 'createdBy', 'config'],
  {
    id: text('Installation id.'),
    projectId: text('Project of the installation.'),
    integrationId: text('The installed integration.'),
    group: groupSchema,
    healthStatus: choice('Whether it works.', healthStatuses),
    lastOperationStatus: choice('Status of its latest operation.', ['success', 'failure', 'in_progress']),
    connection: connectionSchema,
    createTime: momentText('When it was created.'),
    createdBy: text('Who created it: consumer:<ref>.'),
    updateTime: momentText('When a config was last written.'),
    config: configSchema,
  },
);
