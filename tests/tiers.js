/**
 * Which suites belong to which tier (docs/testing.md), as parts of their paths. A suite that is not named here belongs to `npm test`.
 */
module.exports = {
  /** What `npm test` leaves to `npm run test:full`. */
  fullOnly: [
    'tests/browser/',
    'tests/chart/',
    'tests/clients/',
    'tests/faults/mutations.test.ts',
    'tests/faults/rows.test.ts',
    'tests/flows/alerts.test.ts',
    'tests/flows/awkward-provider.test.ts',
    'tests/flows/data-centres.test.ts',
    'tests/flows/declared-promises.test.ts',
    'tests/flows/expand-only.test.ts',
    'tests/flows/kafka-security.test.ts',
    'tests/flows/notifications.test.ts',
    'tests/flows/pgbouncer.test.ts',
    'tests/flows/project-deletion.test.ts',
    'tests/flows/promises.test.ts',
    'tests/flows/restore.test.ts',
    'tests/flows/rolling-restart.test.ts',
    'tests/flows/start-refusals.test.ts',
    'tests/flows/traces.test.ts',
    'tests/load/test/',
    'tests/memory/',
    'tests/security/canary.test.ts',
    'tests/security/hostile.test.ts',
    'tests/security/least-privilege.test.ts',
    'tests/security/supply-chain.test.ts',
    'deploy/local/test/certify',
    'deploy/local/test/connect.test.ts',
    'deploy/local/test/two-commands.test.ts',
  ],
  /** What kills its own services, or measures: it has the machine for itself. */
  alone: [
    'tests/faults/mutations.test.ts',
    'tests/faults/rows.test.ts',
    'tests/flows/alerts.test.ts',
    'tests/flows/rolling-restart.test.ts',
    'tests/load/test/',
    'tests/memory/',
  ],
  /** What takes longest: begun first, or the other workers wait for it at the end. */
  begunFirst: [
    'tests/faults/short-rows.test.ts',
    'tests/acceptance/auto-batch.test.ts',
    'tests/acceptance/batch.test.ts',
    'deploy/local/test/two-commands.test.ts',
    'services/executor/test/database-away.test.ts',
    'services/executor/test/equal-creates.test.ts',
    'services/executor/test/looks.test.ts',
    'services/management/test/webhook-delivery.test.ts',
    'libs/messaging/src/kafka/kafka-messaging.int.test.ts',
  ],
};
