import { limits, pageProperties } from '@sluice/types';

/** `P` of the published API. */
export const projectPath = '/v1/projects/:projectIdOrName';

/** `I` of the published API. */
export const integrationPath = `${projectPath}/integrations/:integrationId`;

/** One webhook endpoint. */
export const webhookPath = `${projectPath}/webhook-endpoints/:endpointId`;

/** For endpoints without a query: a misspelt or unsupported parameter is refused, not ignored. */
export const noQuery = { type: 'object', additionalProperties: false } as const;

/** Of a list that is given whole unless a page is asked for. */
export const pageQuery = { type: 'object', additionalProperties: false, properties: pageProperties } as const;

/** Header of such a list's reply. */
export const linkToNext = {
  Link: { description: 'rel="next": the next page, when a page was asked for and it is not the last.' },
} as const;

/** Header of the reply of a list that is always in pages. */
export const linkWhenMore = { Link: { description: 'rel="next": the next page, when there is one.' } } as const;

/** Of lists of keys: `active=true` leaves out those that are switched off, `false` shows all. Source: published API. */
export const activeQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { active: { type: 'boolean', default: false } },
} as const;

/** `skipSampling=true`: the account is not asked whether it has the fields that a config names. Source: published API. */
export const samplingQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { skipSampling: { type: 'boolean', default: false } },
} as const;

/** `destructive=true`: reads of the objects that a manifest removes are paused. Source: published API and command line. */
export const deployQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { destructive: { type: 'boolean', default: false } },
} as const;

/**
 * What a list of stored bodies takes of memory while it is sent: one statement's megabyte as it was read, as its value and as the text that is
 * written, each with two bytes a character where one needs them. Fifty at once with a third of it ended a service of 256 MiB.
 */
export const listBytesMax = 4 * limits.pageBytesMax;

export const deployedHeaders = {
  'Sluice-Warning': {
    description: 'What of the manifest has no effect: a module that is not served, what is stored only.',
  },
};
