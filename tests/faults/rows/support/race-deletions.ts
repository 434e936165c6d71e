import type { Customer } from '../../../harness/customer';
import { call } from '../../../harness/api';
import type { RowContext } from '../../harness/row';
import { createContacts } from './customers';

/** Deletions that are sent at once, some before and some after they are forbidden. */
const senders = 8;

/**
 * Deletes records while deletion is switched off. A deletion that was answered 200 is done, one that was refused is not, and
 * none that was sent after the change had been answered goes through. A quarter is sent before the change, and a quarter is kept until it
 * has been answered, however long it takes. @returns what was missed
 */
export async function raceDeletions({ world }: RowContext, customer: Customer, count: number): Promise<string[]> {
  const ids = await createContacts(world, customer.account, count);
  const results: { id: string; status: number; isLate: boolean }[] = [];
  const ends = { isForbidden: false };
  const forbidden = forbidAfter(customer, () => results.length >= count / 4).then(() => (ends.isForbidden = true));
  const sender = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      if (ids.length < count / 4) await forbidden;
      const isLate = ends.isForbidden;
      const { status } = await customer.write('contacts', { type: 'delete', record: { id } });
      results.push({ id, status, isLate });
    }
  };
  await Promise.all([forbidden, ...Array.from({ length: senders }, sender)]);
  const there = new Set((await customer.account.records('contacts')).map(({ id }) => id));
  const late = results.filter(({ isLate, status }) => isLate && status !== 403).length;
  const wrong = results.filter(({ id, status }) => there.has(id) !== (status !== 200)).length;
  const before = results.filter(({ status }) => status === 200).length;
  return [
    ...(late > 0 ? [`${late} deletions went through after they were forbidden`] : []),
    ...(wrong > 0 ? [`${wrong} deletions did not do what was answered`] : []),
    ...(before === 0 || before === count ? [`${before} of ${count} deletions were done, so nothing raced`] : []),
  ];
}

async function forbidAfter({ project, integrationId, groupRef }: Customer, isTime: () => boolean): Promise<void> {
  while (!isTime()) await new Promise((resolve) => setTimeout(resolve, 5));
  const change = { op: 'replace', path: '/deletionSettings', value: { enabled: false } };
  await call(`${project.url}/integrations/${integrationId}/objects/contacts/config-content`, {
    method: 'PATCH',
    key: project.key,
    body: { groupRef, action: 'write', changes: [change] },
  });
}
