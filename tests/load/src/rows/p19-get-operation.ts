import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { withDatabase } from '../harness/database';
import { comparedFinding } from '../harness/finding';
import type { LoadSpec } from '../harness/generate-load';
import type { System } from '../harness/system';
import { acceptLoad, connections, rateOf } from './accept';

/** Operations that the reads are dealt to: far more than connections, so that hardly two read one at the same time. */
const operationsRead = 1_000;

export const p19: Row = {
  id: 'P19',
  goal: 'operations read/s by id, against Express 5 that answers the same',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const child = await startChild('baselines/bare-express', {});
      try {
        await bench.load.run({ ...acceptLoad(system), count: bench.isQuick ? 50 : operationsRead });
        const against = 'Express 5 that answers a constant of the same members';
        const url = `http://127.0.0.1:${(child.ready as { port: number }).port}/operations/any`;
        const sides = [
          rateOf(bench, 'ours', await readLoad(system)),
          rateOf(bench, against, { url, connections }),
        ] as const;
        const compared = await alternate(sides, pace(bench).rounds, bench.say);
        const about = { what: 'operations read by id', unit: '/s', against, target: { atLeast: 0.5 } };
        const finding = comparedFinding({ ...about, floor: '0.75×, one look-up a statement' }, ...compared);
        return { findings: [finding], notes: [note] };
      } finally {
        await child.kill();
      }
    }),
};

const note = `P19: ${connections} connections, ${operationsRead} operations in turns, each read from Postgres; API key checked.`;

async function readLoad({ databaseUrl, project, service }: System): Promise<LoadSpec> {
  const { url } = service('management');
  const { rows } = await withDatabase(databaseUrl, (database) =>
    database.raw<{ rows: { id: string }[] }>('select id from operations where project_id = ? limit ?', [
      project.id,
      operationsRead,
    ]),
  );
  const paths = rows.map(({ id }) => `/v1/projects/${project.id}/operations/${id}`);
  return { url, paths, headers: { 'x-api-key': project.key }, connections };
}
