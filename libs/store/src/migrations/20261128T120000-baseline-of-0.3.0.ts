import type { Migration } from '../migration';
import { calls } from './baseline/calls';
import { connections } from './baseline/connections';
import { installations } from './baseline/installations';
import { integrations } from './baseline/integrations';
import { minutes } from './baseline/minutes';
import { operations } from './baseline/operations';
import { outcomes } from './baseline/outcomes';
import { projects } from './baseline/projects';
import { records } from './baseline/records';
import { webhooks } from './baseline/webhooks';

/**
 * The schema of version 0.3.0, which is that of 0.2.0. `project_id` comes first in every key, so that tables can be spread by project. Payloads are text,
 * because jsonb refuses \u0000 and rewrites numbers. Never changed: what a later version adds is a migration after this one.
 */
export const baseline: Migration = {
  name: '20261128T120000-baseline-of-0.3.0',
  up: async (knex) => {
    const nouns = [projects, integrations, connections, installations, operations, calls, records, outcomes];
    for (const sql of [...nouns, webhooks, minutes]) await knex.raw(sql);
  },
};
