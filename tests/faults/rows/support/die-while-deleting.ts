import { until } from '@sluice/testkit';
import { exchange } from '../../../harness/api';
import type { Customer } from '../../../harness/customer';
import { query } from '../../harness/query';
import type { Party, World } from '../../harness/world';
import { isAlive, restart } from './parties';

const management: Party = { name: 'management' };
const trap = { SLUICE_FAILPOINT: 'st.after_end_round:exit9:1' };
/** Longest wait for the crash, which comes with the first step. */
const stepMs = 180_000;

/**
 * Deletes an installation more of whose calls wait than end in one transaction, by a service that dies after the first one. Nobody asks
 * again: what is left is an executor's. @returns what was missed
 */
export async function dieWhileDeleting(world: World, customer: Customer): Promise<string[]> {
  const { project, integrationId, installationId } = customer;
  const url = `${project.url}/integrations/${integrationId}/installations/${installationId}`;
  await restart(world, management, trap);
  const answer = await exchange(url, { method: 'DELETE', key: project.key });
  await until('the deleting service died', () => !isAlive(world, management) || undefined, stepMs);
  await world.start(management);
  const again = await exchange(url, { method: 'GET', key: project.key });
  const [{ ended, left }] = (await query<{ ended: number; left: number }>(
    world,
    `select count(*) filter (where state in ('succeeded', 'failed'))::integer as ended,
            count(*) filter (where state not in ('succeeded', 'failed'))::integer as left
     from operations where project_id = ? and installation_id = ?`,
    [project.id, installationId],
  )) as [{ ended: number; left: number }];
  return [
    ...(answer.kind === 'reply' ? [`the deletion was answered ${answer.status}`] : []),
    ...(again.kind === 'reply' && again.status === 404 ? [] : ['the installation is still there']),
    ...(ended > 0 && left > 0 ? [] : [`${ended} operations had ended and ${left} had not, so nothing was between`]),
  ];
}
