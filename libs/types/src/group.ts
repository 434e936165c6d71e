import { moment } from './json-schema';

/** A group of users of the builder's application: an organisation, a workspace, a team. Source: specification, Group. */
export interface Group {
  /** The id that the builder's application uses. */
  readonly groupRef: string;
  readonly groupName: string;
  readonly projectId: string;
  readonly createTime: string;
  readonly updateTime?: string;
}

/** Schema of the resource in replies. */
export const groupSchema = {
  type: 'object',
  description: "A group of users of the builder's application.",
  required: ['groupRef', 'groupName', 'projectId', 'createTime'],
  properties: {
    groupRef: { type: 'string', description: "The id that the builder's application uses." },
    groupName: { type: 'string', description: 'Name of the group.' },
    projectId: { type: 'string', description: 'Project of the group.' },
    createTime: { ...moment, description: 'When it was created.' },
    updateTime: { ...moment, description: 'When it was last changed.' },
  },
} as const;
