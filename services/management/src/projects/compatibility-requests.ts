import { nameText } from '@sluice/types';

/** Body of `POST P/groups`. */
export interface CreateGroupRequest {
  readonly groupRef: string;
  readonly groupName: string;
}

export const createGroupRequestSchema = {
  type: 'object',
  description: 'A group.',
  additionalProperties: false,
  required: ['groupRef', 'groupName'],
  properties: {
    groupRef: { ...nameText, description: "The builder's id of the group." },
    groupName: { ...nameText, description: 'Name of the group.' },
  },
} as const;

/** Body of `POST P/consumers`. */
export interface CreateConsumerRequest {
  readonly consumerRef: string;
  readonly consumerName: string;
}

export const createConsumerRequestSchema = {
  type: 'object',
  description: 'A consumer.',
  additionalProperties: false,
  required: ['consumerRef', 'consumerName'],
  properties: {
    consumerRef: { ...nameText, description: "The builder's id of the user." },
    consumerName: { ...nameText, description: 'Name of the user.' },
  },
} as const;
