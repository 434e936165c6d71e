import { openDatabase } from '@sluice/store';
import { patientLimits, until } from '@sluice/testkit';
import type { Page } from 'playwright-core';
import { createCustomer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { startStack } from '../harness/stack';
import { fillHour } from './console/fill-hour';
import { useConsole } from './console/open-console';
import { fitsEverybody } from './console/violations';

let database: ReturnType<typeof openDatabase>;
const { withBrowser, stack, project, openAt } = useConsole({
  of: 'the overview of the console in a real browser',
  start: async () => {
    // What waits for the provider must not reach its deadline.
    const only = ['sandbox', 'management', 'write-gateway', 'batcher', 'executor'] as const;
    const started = await startStack({ timeScale: 10, only });
    const { databaseUrl: url } = started;
    database = openDatabase({ url, poolMax: 1, applicationName: 'test', limits: patientLimits });
    return { ...started, stop: () => database.destroy().then(() => started.stop()) };
  },
});
/** The one that has written. */
let busy: Project;
beforeAll(async () => {
  busy = await createProject(stack);
  await write();
});

/** Four records are accepted: two are written, one of them after a block, one fails, and one is for a provider that does not answer. */
async function write(): Promise<void> {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project: busy });
  const create = (record: object) => customer.write('contacts', { type: 'create', mode: 'asynchronous', record });
  const [well, ill] = [await create({ email: 'well@example.com' }), await create({ email: 'no-email-at-all' })];
  await Promise.all([customer.ended(well.body.operationId), customer.ended(ill.body.operationId)]);
  await customer.account.fault({ action: { kind: 'status', status: 429, retryAfterSeconds: 1 }, times: 1 });
  await customer.ended((await create({ email: 'later@example.com' })).body.operationId);
  await customer.account.fault({ action: { kind: 'status', status: 503 }, times: 0 });
  await create({ email: 'waits@example.com' });
  await until('the processes have stored what they counted', async () => {
    const { rows } = await database.raw<{ rows: [{ accepted: number; written: number; retried: number }] }>(
      `select sum(accepted)::integer as accepted, sum(written)::integer as written, sum(retried)::integer as retried
       from minutes where project_id = ?`,
      [busy.id],
    );
    const [{ accepted, written, retried }] = rows;
    return (accepted === 4 && written === 2 && retried >= 2) || undefined;
  });
  await until('the batcher has counted what waits', async () => {
    const { rowCount } = await database.raw<{ rowCount: number }>(
      'select 1 from backlog_minutes where project_id = ?',
      [busy.id],
    );
    return rowCount > 0 || undefined;
  });
  for (const table of ['minutes', 'backlog_minutes'] as const) await age(table);
}

/** Half an hour ago: a minute that is not complete is not shown. */
async function age(table: 'minutes' | 'backlog_minutes'): Promise<void> {
  await database.raw(`update ${table} set minute = minute - interval '30 minutes'`);
}

async function open(key: string): Promise<Page> {
  const page = await openAt('overview', key);
  await page.locator('.chart').first().waitFor();
  return page;
}
const totalsOf = async (page: Page): Promise<Record<string, string>> => {
  const texts = await page.locator('.tiles a').allInnerTexts();
  return Object.fromEntries(texts.map((text) => text.split('\n').slice(0, 2) as [string, string]));
};
const chartOf = (page: Page, title: string) =>
  page.locator('.chart', { has: page.getByRole('heading', { name: title }) });

withBrowser('shows what was written and what it met, first what needs attention, as charts and as tables', async () => {
  const page = await open(busy.key);
  await page.getByRole('region', { name: 'Needs attention' }).getByText('hubspot is failing.').waitFor();
  // Whatever else is shown, they add up.
  const tiles = { Accepted: '4', Written: '2', Failed: '1', Waiting: '1', Filling: '0', Held: '0' };
  expect(await totalsOf(page)).toMatchObject({ 'Success rate': '66.6 %', ...tiles });
  // Drawn by the library, in each of the four.
  await page.locator('.chart canvas').nth(3).waitFor();
  expect(await chartOf(page, 'Providers').locator('.legend').innerText()).toMatch(/hubspot: errors[^]*hubspot: blocks/);
  await chartOf(page, 'Providers').getByText('Refused records are under Failed.').waitFor();
  const label = await chartOf(page, 'Records').getByRole('img').getAttribute('aria-label');
  expect(label).toMatch(/accepted: last \d+, at most \d+[^;]*; written: /);
  // By keyboard alone.
  await chartOf(page, 'Backlog').locator('summary').focus();
  await page.keyboard.press('Enter');
  const rows = chartOf(page, 'Backlog').locator('tbody tr');
  await rows.nth(59).waitFor();
  expect(await rows.count()).toBe(60);
  expect(await rows.locator('td').allInnerTexts()).toContain('1');
  await page.getByRole('link', { name: 'week' }).click();
  await page.waitForURL(/#\/overview\?span=week$/);
  await page.getByText('Failed', { exact: true }).waitFor();
  expect(await totalsOf(page)).toMatchObject(tiles);
  const failures = page.getByRole('region', { name: 'Failures' });
  for (const link of [
    page.getByRole('link', { name: /^Failed/ }),
    failures.getByRole('link', { name: /^group-/ }).first(),
    failures.getByRole('link', { name: /INVALID_EMAIL/ }),
  ]) {
    await link.click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    await page.locator('tbody tr .badge.bad').first().waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.goBack();
  }
  // A tile leads to what it counts, and the filter can be taken away alone.
  const links = { Waiting: 1, Held: 0, Filling: 0 };
  for (const [name, many] of Object.entries(links)) {
    await page.getByRole('link', { name: new RegExp(`^${name}`) }).click();
    const chips = page.getByRole('list', { name: 'Filters' });
    await chips.waitFor();
    await page.getByRole('link', { name: `in progress ${many}` }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(many);
    await page.goBack();
  }
  await failures.getByRole('link', { name: /INVALID_EMAIL/ }).click();
  // The counts are of the list, not of the project.
  await page.getByRole('link', { name: 'failure 1' }).waitFor();
  expect(await page.getByRole('link', { name: 'success 0' }).count()).toBe(1);
  const chips = page.getByRole('list', { name: 'Filters' });
  expect(await chips.getByRole('listitem').allInnerTexts()).toEqual(['Field email\n×', 'Problem INVALID_EMAIL\n×']);
  await fitsEverybody(page, 'operations of a problem');
  await chips.getByRole('link', { name: 'Without the filter Field' }).click();
  await page.waitForURL(/problemCode=INVALID_EMAIL$/);
  expect(page.url()).not.toContain('problemField');
  expect(await chips.getByRole('listitem').count()).toBe(1);
});

// The processes store what they counted some seconds later; until then the tiles say that they lack what the lists have.
withBrowser('the tiles say when the lists below them have more', async () => {
  const store = (from: string, to: string) =>
    database.raw('update minutes set project_id = ? where project_id = ? and failed > 0', [to, from]);
  await store(busy.id, 'not-yet');
  const page = await open(busy.key);
  await page.getByText('1 failed record of the lists below or more are not in the tiles').waitFor();
  await store('not-yet', busy.id);
  await page.getByText('are not in the tiles').waitFor({ state: 'detached' });
});

// Beside the name of the day, "1,000" alone would be read as what failed in the day.
withBrowser('lists of failures that are not complete say of how many they are, and lead to these', async () => {
  const { id, key } = await createProject(stack);
  await database.raw(
    `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode, state,
       records_total, records_failed, failed_at, traceparent, created_at)
     select ?, substr(v7, 1, 8) || '-' || substr(v7, 9) || '-7000-8000-000000000000', 'i', 'n', 'c', 'k', 'l', 'contacts', 'create',
       'asynchronous', 'failed', 100, 100, moment, 't', moment
     from (select moment, lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') as v7
           from generate_series(1, 12) n cross join lateral (select now() - n * interval '1 minute' as moment) m) made`,
    [id],
  );
  await database.raw(
    `insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, provider_ids, error_classes, error_texts)
     select project_id, id, 1, 1, 'failed', array(select generate_series(0, 99)), array_fill(null::text, array[100]),
       array_fill('rejected'::text, array[100]), array_fill('no such owner'::text, array[100]) from operations where project_id = ?`,
    [id],
  );
  const page = await openAt('overview?span=day', key);
  await page.getByRole('heading', { name: 'Problems, of the newest 1,000 failures' }).waitFor();
  const problems = page.getByRole('region', { name: 'Failures' }).locator('.top', { hasText: 'Problems' });
  expect(await problems.locator('.number').allInnerTexts()).toEqual(['1,000 of 1,000']);
  await problems.getByRole('link', { name: 'no such owner' }).click();
  await page.getByRole('link', { name: 'failure 10', exact: true }).waitFor();
  await page.locator('tbody tr').nth(9).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(10);
  await page.getByRole('list', { name: 'Filters' }).getByText('no such owner').waitFor();
});

withBrowser('a minute in which nobody counted is a gap, in the line and in the table', async () => {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
  await fillHour(database, project.id);
  const page = await open(project.key);
  await page.locator('.chart canvas').nth(3).waitFor();
  expect(await chartOf(page, 'Backlog').locator('.legend').innerText()).toContain(`hubspot: ${customer.groupRef}`);
  await chartOf(page, 'Records').locator('summary').click();
  const rows = chartOf(page, 'Records').locator('tbody tr');
  await rows.nth(59).waitFor();
  const accepted = await rows.locator('td:nth-of-type(1)').allInnerTexts();
  expect(accepted.filter((text) => text === 'not known')).toHaveLength(5);
  // Dragged over the second half: the charts show it, and the address has it.
  const drawing = chartOf(page, 'Backlog').locator('.u-over');
  await drawing.scrollIntoViewIfNeeded();
  const area = (await drawing.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const at = (share: number) => [area.x + area.width * share, area.y + area.height / 2] as const;
  await page.mouse.move(...at(0.5));
  await page.mouse.down();
  await page.mouse.move(...at(0.9), { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/since=[^&]+&until=/);
  const operations = page.getByRole('link', { name: 'Operations of this time' });
  await operations.waitFor();
  await until('the table has the dragged part', async () => ((await rows.count()) < 40 ? true : undefined));
  expect(await operations.getAttribute('href')).toMatch(/^#\/operations\?since=.+&until=/);
  await page.getByRole('link', { name: 'Whole hour' }).click();
  await rows.nth(59).waitFor();
  // The same by keyboard: what it ends before is refused beside the field.
  const [from, to] = [page.locator('.zoom [name=since]'), page.locator('.zoom [name=until]')];
  const zoom = page.getByRole('button', { name: 'Zoom' });
  const typed = await to.inputValue();
  await to.fill(await from.inputValue());
  await zoom.press('Enter');
  await page.getByText('Charts until must be later than their beginning').waitFor();
  await to.fill(typed);
  await zoom.press('Enter');
  await page.waitForURL(/since=[^&]+&until=/);
});

withBrowser('a project without a written record has a checklist until it has one', async () => {
  const page = await openAt('overview');
  const list = page.getByRole('region', { name: 'Your first record' });
  await list.getByRole('link', { name: 'Deploy a manifest' }).click();
  await page.waitForURL(/#\/developers\/integrations$/);
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
  await page.goBack();
  await list.locator('li.done').nth(1).waitFor();
  expect(await list.locator('li.done').allInnerTexts()).toEqual([
    expect.stringContaining('Deploy an integration'),
    expect.stringContaining('Connect a customer'),
  ]);
  expect(await list.getByRole('link', { name: 'Try a write' }).getAttribute('href')).toBe('#/developers/try');
  expect(await page.locator('.chart').count()).toBe(0);
  const { body } = await customer.write('contacts', {
    type: 'create',
    mode: 'asynchronous',
    record: { email: 'a@example.com' },
  });
  await customer.ended(body.operationId);
  await page.locator('.chart').first().waitFor();
  await list.waitFor({ state: 'detached' });
});

/** What the page's charts write from now on, chart by chart, in the order of the page; only what is right-aligned, as a vertical axis is. */
const recordLabels = (page: Page) =>
  page.evaluate(`(() => {
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
      if (this.textAlign === 'right') (this.canvas.labels ??= []).push(text);
      return write.call(this, text, ...at);
    };
  })()`);
const labelsOf = (page: Page, title: string) =>
  chartOf(page, title)
    .locator('canvas')
    .evaluate((canvas) => (canvas as unknown as { readonly labels?: readonly string[] }).labels ?? []);

/** One write, half an hour ago. */
async function fillMinute(projectId: string): Promise<void> {
  const once = `array[1${', 0'.repeat(12)}]`;
  await database.raw(
    `insert into minutes select ?, date_trunc('minute', now()) - interval '30 minutes', 'one', 'hubspot', 1, 1, 0, 0, 0, 0, 0, 0, ${once}, ${once}`,
    [projectId],
  );
}

/** Pixels of a chart in the colour of a tone. */
const pixelsOf = (page: Page, title: string, rgb: readonly number[]) =>
  chartOf(page, title)
    .locator('canvas')
    .evaluate(
      (canvas, [red, green, blue]) => {
        const { width, height } = canvas as unknown as { width: number; height: number };
        const context = (canvas as unknown as { getContext(of: '2d'): CanvasLike }).getContext('2d');
        const { data } = context.getImageData(0, 0, width, height);
        let found = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found += 1;
        return found;
      },
      [...rgb],
    );
interface CanvasLike {
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
}

// A line needs two moments; one is a dot. And there is no half call: an axis that counts has a label for each whole number at most.
withBrowser('a single value is a dot, and an idle chart of counts repeats no label', async () => {
  await fillMinute(project.id);
  const page = await open(project.key);
  await page.locator('.chart canvas').nth(3).waitFor();
  // The 95th percentile of the provider, which is drawn last.
  await until('the dot is drawn', async () =>
    (await pixelsOf(page, 'Latency', [138, 90, 6])) > 10 ? true : undefined,
  );
  await recordLabels(page);
  // Drawn again, in another width.
  await page.setViewportSize({ width: 1_000, height: 820 });
  for (const title of ['Backlog', 'Providers']) {
    const labels = await until(`${title} is drawn`, async () => {
      const all = await labelsOf(page, title);
      return all.length > 0 ? all : undefined;
    });
    // However often it was drawn meanwhile.
    expect([title, labels]).toEqual([title, labels.map((_, at) => String(at % 2))]);
  }
});

withBrowser('a database that is away is said, what was shown stays, and it heals', async () => {
  const page = await open(busy.key);
  const body = { status: 503, code: 'service.unavailable', title: 'x', detail: 'The database does not answer.' };
  const away = { status: 503, contentType: 'application/problem+json', body: JSON.stringify(body) };
  await page.route(/\/overview/, (route) => route.fulfill(away));
  const banner = page.getByText('The database does not answer.');
  await banner.waitFor();
  await page.unroute(/\/overview/);
  await banner.waitFor({ state: 'detached' });
  expect(await totalsOf(page)).toMatchObject({ Accepted: '4' });
});

// With everything that can be opened open, in both colours and widths.
withBrowser('can be used by everybody', async () => {
  const page = await open(busy.key);
  await page.locator('.chart canvas').nth(3).waitFor();
  for (const summary of await page.locator('.chart summary').all()) await summary.click();
  await page.locator('.chart tbody').nth(3).waitFor();
  await fitsEverybody(page, 'overview');
});

// Last: what is ended stays so.
withBrowser('says which service does not run, and leaves a gap from then on', async () => {
  await stack.processes.kill('executor', 'SIGKILL');
  await database.raw(`delete from minutes where process like 'executor/%' and minute > now() - interval '5 minutes'`);
  await database.raw(`delete from process_minutes where service = 'executor'`);
  await database.raw(
    `insert into process_minutes values (date_trunc('minute', now()) - interval '30 minutes', 'executor/a', 'executor', '0.1.0')`,
  );
  const page = await open(busy.key);
  const attention = page.getByRole('region', { name: 'Services need attention' });
  await attention.getByText('No executor reports that it runs.').waitFor();
  expect(await attention.innerText()).toMatch(/The last one did \d+ minutes ago\. What is accepted waits/);
  await chartOf(page, 'Records').locator('summary').click();
  const newest = chartOf(page, 'Records').locator('tbody tr').first();
  expect(await newest.locator('td').allInnerTexts()).toEqual(['0', '0', '0', 'not known']);
});
