import { configSchema, type Config } from './config';
import { connectionSchema, type Connection } from './connection';
import { groupSchema, type Group } from './group';
import { moment } from './json-schema';
import type { OperationStatus } from './operation';

/** `unhealthy` while the connection is `bad_credentials` or the last 5 operations failed. Spec is silent; see rulings. */
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

/** Schema of the resource in replies. */
export const installationSchema = {
  type: 'object',
  description: 'An integration that a group has installed.',
  required: ['id', 'projectId', 'integrationId', 'healthStatus', 'connection', 'createTime', 'createdBy', 'config'],
  properties: {
    id: { type: 'string', description: 'Installation id.' },
    projectId: { type: 'string', description: 'Project of the installation.' },
    integrationId: { type: 'string', description: 'The installed integration.' },
    group: groupSchema,
    healthStatus: { type: 'string', enum: healthStatuses, description: 'Whether it works.' },
    lastOperationStatus: {
      type: 'string',
      enum: ['success', 'failure', 'in_progress'],
      description: 'Status of its latest operation.',
    },
    connection: connectionSchema,
    createTime: { ...moment, description: 'When it was created.' },
    createdBy: { type: 'string', description: 'Who created it: consumer:<ref>.' },
    updateTime: { ...moment, description: 'When a config was last written.' },
    config: configSchema,
  },
} as const;
