import { memberName } from './json-schema';

/*
 * Schemas of the parts of a manifest that are validated, stored and returned, and that nothing executes: what is subscribed,
 * and the watch over an account's schema. Source: published API, manifest.
 */

const destination = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'Receiver of events. Stored only.',
} as const;

const event = {
  type: 'object',
  description: 'Stored only.',
  additionalProperties: false,
  properties: { enabled: { type: 'string', enum: ['always'], description: 'Sent for every installation.' } },
} as const;

const updateEvent = {
  ...event,
  properties: {
    ...event.properties,
    watchFieldsAuto: { type: 'string', enum: ['all', 'selected'], description: 'Fields whose change is an event.' },
    requiredWatchFields: { type: 'array', description: 'Fields always watched.', items: memberName },
  },
} as const;

const associationChangeEvent = {
  ...event,
  properties: {
    ...event.properties,
    includeFullRecords: { type: 'boolean', description: 'Records and not only their ids.' },
  },
} as const;

export const subscribeSchema = {
  type: 'object',
  description: 'What is subscribed. Stored only.',
  additionalProperties: false,
  properties: {
    objects: {
      type: 'array',
      description: 'Objects whose events are wanted.',
      items: {
        type: 'object',
        description: 'An object.',
        additionalProperties: false,
        required: ['objectName', 'destination'],
        properties: {
          objectName: { ...memberName, description: "The provider's name of the object." },
          destination,
          inheritFieldsAndMapping: { type: 'boolean', description: 'Fields and mappings of the read object.' },
          createEvent: event,
          updateEvent,
          deleteEvent: event,
          associationChangeEvent,
          otherEvents: { type: 'array', description: "The provider's own events.", items: memberName },
        },
      },
    },
  },
} as const;

export const watchSchemaSchema = {
  type: 'object',
  description: "Watch over changes of an account's schema. Stored only.",
  additionalProperties: false,
  required: ['destination', 'allObjects'],
  properties: {
    destination,
    schedule: { type: 'string', maxLength: 255, description: 'Cron syntax.' },
    allObjects: { type: 'object', description: 'What is watched of every object.' },
  },
} as const;

/** `backfill` of a read object. */
export const manifestBackfillSchema = {
  type: 'object',
  description: 'What is read at first. Stored only.',
  additionalProperties: false,
  required: ['defaultPeriod'],
  properties: {
    defaultPeriod: {
      type: 'object',
      description: 'At least one of days and fullHistory.',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        days: { type: 'integer', minimum: 0, description: 'Days back; 0 means none.' },
        fullHistory: { type: 'boolean', description: 'Everything.' },
      },
    },
  },
} as const;
