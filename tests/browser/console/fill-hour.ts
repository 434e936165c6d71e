import type { openDatabase } from '@sluice/store';

/** What two processes would have stored in the last hour: writes that come and go, a block with its backlog, and five minutes in which none was alive. */
export async function fillHour(database: ReturnType<typeof openDatabase>, projectId: string): Promise<void> {
  const hour = `(select n, date_trunc('minute', now()) - n * interval '1 minute' as minute from generate_series(1, 60) n) h`;
  await database.raw(`delete from process_minutes where minute < now() - interval '10 minutes'`);
  await database.raw(
    `insert into process_minutes select minute, s || '/hour', s, coalesce((select max(version) from process_minutes), '0.1.0') from ${hour},
       unnest(array['batcher', 'executor', 'management', 'write-gateway']) s where n not between 30 and 34`,
  );
  const buckets = (at: number, many: string) =>
    `array[${Array.from({ length: 13 }, (_, n) => (n === at ? many : n === at + 1 ? `${many} / 8` : '0')).join(', ')}]`;
  const many = '(240 + 90 * sin(n / 6.0))::integer';
  await database.raw(
    `insert into minutes select ?, minute, 'hour', 'hubspot', ${many}, case when n between 10 and 16 then 40 else ${many} - n % 4 end, n % 4, 0,
       case when n between 10 and 16 then 60 else n % 3 end, case when n between 10 and 16 then 3 else n % 2 end, case when n = 16 then 1 else 0 end, 0,
       ${buckets(0, many)}, ${buckets(4, many)} from ${hour} where n not between 30 and 34`,
    [projectId],
  );
  await database.raw(
    `insert into backlog_minutes select l.project_id, minute, l.id, case when n > 16 then n % 5 when n >= 10 then (17 - n) * 200 else n * 140 end
     from ${hour}, lanes l where l.project_id = ? and n not between 30 and 34
     on conflict do nothing`,
    [projectId],
  );
}
