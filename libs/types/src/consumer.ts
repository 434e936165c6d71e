import { moment } from './json-schema';

/** A user of the builder's application, who made a connection. Source: specification, Consumer. */
export interface Consumer {
  /** The id that the builder's application uses. */
  readonly consumerRef: string;
  readonly consumerName: string;
  readonly projectId: string;
  readonly createTime: string;
  readonly updateTime?: string;
}

/** Schema of the resource in replies. */
export const consumerSchema = {
  type: 'object',
  description: "A user of the builder's application.",
  required: ['consumerRef', 'consumerName', 'projectId', 'createTime'],
  properties: {
    consumerRef: { type: 'string', description: "The id that the builder's application uses." },
    consumerName: { type: 'string', description: 'Name of the user.' },
    projectId: { type: 'string', description: 'Project of the user.' },
    createTime: { ...moment, description: 'When it was created.' },
    updateTime: { ...moment, description: 'When it was last changed.' },
  },
} as const;
