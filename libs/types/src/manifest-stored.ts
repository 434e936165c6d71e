import { choice, closedObject, count, flag, listOf, memberName } from './json-schema';

/*
 * Schemas of the parts of a manifest that are validated, stored and returned, but not executed. These are subscriptions and the watch over an
 * account's schema. Source: published API, manifest.
 */

const destination = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'Receiver of events. Stored only.',
} as const;

const event = closedObject('Stored only.', {
  enabled: choice('Sent for every installation.', ['always']),
});

const updateEvent = {
  ...event,
  properties: {
    ...event.properties,
    watchFieldsAuto: choice('Fields whose change is an event.', ['all', 'selected']),
    requiredWatchFields: listOf('Fields always watched.', memberName),
  },
} as const;

const associationChangeEvent = {
  ...event,
  properties: {
    ...event.properties,
    includeFullRecords: flag('Records and not only their ids.'),
  },
} as const;

export const subscribeSchema = closedObject('Subscriptions. Stored only.', {
  objects: listOf(
    'Objects whose events are wanted.',
    closedObject('An object.', ['objectName', 'destination'], {
      objectName: { ...memberName, description: "The provider's name of the object." },
      destination,
      inheritFieldsAndMapping: flag('Fields and mappings of the read object.'),
      createEvent: event,
      updateEvent,
      deleteEvent: event,
      associationChangeEvent,
      otherEvents: listOf("The provider's own events.", memberName),
    }),
  ),
});

export const watchSchemaSchema = closedObject(
  "Watch over changes of an account's schema. Stored only.",
  ['destination', 'allObjects'],
  {
    destination,
    schedule: { type: 'string', maxLength: 255, description: 'Cron syntax.' },
    allObjects: { type: 'object', description: 'The events that are watched of every object.' },
  },
);

/** `backfill` of a read object. */
export const manifestBackfillSchema = closedObject('The records of the first read. Stored only.', ['defaultPeriod'], {
  defaultPeriod: {
    type: 'object',
    description: 'At least one of days and fullHistory.',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      days: count('Days back; 0 means none.'),
      fullHistory: flag('Everything.'),
    },
  },
});
