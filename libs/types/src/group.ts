import { momentText, openObject, text } from './json-schema';

/** A group of users of the builder's application: an organisation, a workspace, a team. Source: specification, Group. */
export interface Group {
  /** The id that the builder's application uses. */
  readonly groupRef: string;
  readonly groupName: string;
  readonly projectId: string;
  readonly createTime: string;
  readonly updateTime?: string;
}

export const groupSchema = openObject(
  "A group of users of the builder's application.",
  ['groupRef', 'groupName', 'projectId', 'createTime'],
  {
    groupRef: text("The id that the builder's application uses."),
    groupName: text('Name of the group.'),
    projectId: text('Project of the group.'),
    createTime: momentText('When it was created.'),
    updateTime: momentText('When it was last changed.'),
  },
);

/** A user of the builder's application, who made a connection. Source: specification, Consumer. */
export interface Consumer {
  /** The id that the builder's application uses. */
  readonly consumerRef: string;
  readonly consumerName: string;
  readonly projectId: string;
  readonly createTime: string;
  readonly updateTime?: string;
}

export const consumerSchema = openObject(
  "A user of the builder's application.",
  ['consumerRef', 'consumerName', 'projectId', 'createTime'],
  {
    consumerRef: text("The id that the builder's application uses."),
    consumerName: text('Name of the user.'),
    projectId: text('Project of the user.'),
    createTime: momentText('When it was created.'),
    updateTime: momentText('When it was last changed.'),
  },
);
