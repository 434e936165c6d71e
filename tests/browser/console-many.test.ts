import { openDatabase } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import type { OperationListReply } from '@sluice/types';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { useConsole } from './console/open-console';

const of = 'the console with 10,000 operations';
const { withBrowser, stack, tab, openAt } = useConsole({ of, start: () => sharedStack() });
const total = 10_000;
const pageSize = 50;

let customer: Customer;
beforeAll(async () => {
  customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
  await copyOperations();
});

/** One real operation, copied: one a minute before it, each hundredth failed. Their ids are uuids of version 7, as all are. */
async function copyOperations(): Promise<void> {
  await customer.write('contacts', { type: 'create', record: { email: 'first@example.com' } });
  const database = openDatabase({ url: stack.databaseUrl, poolMax: 1, applicationName: 'test', limits: patientLimits });
  try {
    await database.raw(
      `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type,
                               mode, state, failed_at, result, traceparent, created_at)
       select project_id, substr(v7, 1, 8) || '-' || substr(v7, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'), integration_id,
              installation_id, config_id, connection_id, lane_id, object_name, type, mode,
              case when n % 100 = 0 then 'failed' else state end, case when n % 100 = 0 then moment end, 'Number ' || n, traceparent, moment
       from (select o.*, n, o.created_at - n * interval '1 minute' as moment,
                    lpad(to_hex((extract(epoch from o.created_at - n * interval '1 minute') * 1000)::bigint), 12, '0') as v7
             from operations o, generate_series(1, ?::integer - 1) n where o.project_id = ?) made`,
      [total, customer.project.id],
    );
    await database.raw('analyze operations');
  } finally {
    await database.destroy();
  }
}

/** Replies to the list, as the tab gets them. */
function listReplies(): Promise<OperationListReply>[] {
  const replies: Promise<OperationListReply>[] = [];
  tab.page.on('response', (reply) => {
    if (/\/operations\?/.test(reply.url())) replies.push(reply.json() as Promise<OperationListReply>);
  });
  return replies;
}

/** A hand faster than the page: it types before the cleared list is drawn. */
const clearAndTypeAtOnce = `{
  const form = document.querySelector('form[role=search]');
  form.querySelector('a').click();
  form.elements.objectName.focus();
  document.execCommand('insertText', false, 'companies');
}`;

// The server pages, so the tab holds one page however many there are.
withBrowser('10,000 operations are shown a page at a time', async () => {
  const page = await openAt('overview', customer.project.key);
  const replies = listReplies();
  await page.getByRole('link', { name: 'Operations', exact: true }).click();
  const rows = page.locator('tbody tr');
  const resultsShown = () => page.locator('td.clip').allInnerTexts();
  await page.getByText('Number 49', { exact: true }).waitFor();
  expect(await rows.count()).toBe(pageSize);
  const first = await resultsShown();
  await page.getByRole('link', { name: 'Next page →' }).click();
  await page.getByText('Number 99', { exact: true }).waitFor();
  const second = await resultsShown();
  expect(second).toEqual(Array.from({ length: pageSize }, (_none, at) => `Number ${at + pageSize}`));
  expect(first.slice(1)).toEqual(Array.from({ length: pageSize - 1 }, (_none, at) => `Number ${at + 1}`));
  await page.getByRole('link', { name: '← First page' }).click();
  await page.getByText('Number 49', { exact: true }).waitFor();

  await page.getByRole('link', { name: /^failed 99/ }).click();
  await page.getByText('Number 5000', { exact: true }).waitFor();
  expect(await resultsShown()).toEqual(Array.from({ length: pageSize }, (_none, at) => `Number ${(at + 1) * 100}`));
  expect(await rows.locator('.badge').allInnerTexts()).toEqual(Array.from({ length: pageSize }, () => 'failed'));
  // An address can be passed on: it holds the filter, and no key.
  expect(page.url()).toMatch(/#\/operations\?status=failure$/);
  await page.getByRole('link', { name: 'Next page →' }).click();
  await page.getByText('This is the last page.').waitFor();
  expect(await rows.count()).toBe(Math.floor((total - 1) / 100) - pageSize);

  await page.evaluate(clearAndTypeAtOnce);
  await page.getByText('Number 49', { exact: true }).waitFor();
  expect(await page.getByLabel('Object').inputValue()).toBe('companies');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing matches').waitFor();

  // What is typed and taken back is no change, and is not being typed any more.
  await page.keyboard.type('x');
  await page.keyboard.press('Backspace');
  await page.getByRole('link', { name: 'Clear' }).click();
  await page.getByText('Number 49', { exact: true }).waitFor();
  expect(await page.getByLabel('Object').inputValue()).toBe('');

  const sizes = (await Promise.all(replies)).map(({ results }) => results.length);
  expect(sizes.length).toBeGreaterThanOrEqual(6);
  expect(Math.max(...sizes)).toBe(pageSize);
});

withBrowser('an operation that begins meanwhile appears by itself, at the top', async () => {
  await openAt('operations', customer.project.key);
  await tab.page.getByText('Number 49', { exact: true }).waitFor();
  const { operationId } = (await customer.write('contacts', { type: 'create', record: { email: 'next@example.com' } }))
    .body;
  await tab.page.locator('tbody tr').first().locator(`a[title="${operationId}"]`).waitFor();
  expect(await tab.page.locator('tbody tr').count()).toBe(pageSize);
});
