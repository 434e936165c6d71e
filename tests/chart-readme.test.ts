import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { parse } from 'yaml';
import { valuesTable } from './chart/values-table';

const root = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = 'helm/sluice/README.md';

// SLUICE_WRITE_GUIDE=1 writes it.
it('lists every value of the chart, as values.yaml explains it', () => {
  const table = valuesTable(read('helm/sluice/values.yaml'));
  const [before = '', after = ''] = read(readme).split(/(?<=<!-- values -->\n)[^]*(?=<!-- end -->)/);
  const wanted = `${before}\n${table}\n\n${after}`;
  if (readProcessEnv()['SLUICE_WRITE_GUIDE'] !== undefined) writeFileSync(join(root, readme), wanted);
  expect(read(readme)).toBe(wanted);
});

// A catalogue shows both, and asks no other host for the picture.
it('has a maintainer and an icon, which is the one of the repository', () => {
  const { icon, maintainers } = parse(read('helm/sluice/Chart.yaml')) as {
    icon: string;
    maintainers: { name: string }[];
  };
  expect(maintainers).toEqual([{ name: 'The Sluice authors' }]);
  expect(Buffer.from(icon.replace('data:image/svg+xml;base64,', ''), 'base64').toString()).toBe(
    read('docs/images/icon.svg'),
  );
});
