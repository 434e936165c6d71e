import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bundledInReference,
  installedFor,
  installedInPage,
  licenceProblems,
  packagesInImages,
} from './architecture/licences';
import { packageFolders, readText } from './architecture/source-tree';

describe('our own licence', () => {
  // The hash of the text that the Apache Software Foundation publishes: a changed word makes another licence.
  it('is the text of Apache-2.0, unchanged', () => {
    expect(createHash('sha256').update(readText('LICENSE')).digest('hex')).toBe(
      'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30',
    );
  });

  const folders = ['.', ...packageFolders(), 'tests', 'tests/crash'];
  it.each(folders)('%s/package.json names it', (folder) => {
    expect(JSON.parse(readText(`${folder}/package.json`))).toMatchObject({ license: 'Apache-2.0' });
  });
});

// Whoever runs an image takes on the licence of everything in it. Read from what is installed, which is what the lockfile names.
describe('what ends up in an image', () => {
  const packages = packagesInImages();
  const installed = installedFor(packages);

  it('is that of every service, the sandbox, the migration, the crash test and the launcher', () => {
    const services = packageFolders().filter((folder) => folder.startsWith('services/'));
    const expected = [...services, 'deploy/sandbox'].map((folder) => folder.replace(/^\w+\//, '@sluice/'));
    // The migration's image is made of the batcher's folder, the one image that has everything of the launcher's.
    expect(packages.toSorted()).toEqual([...expected, '@sluice/crash-test', '@sluice/local'].toSorted());
    const names = installed.map(({ name }) => name);
    // One of a service, one that another package brings, one that is in the console's page alone.
    expect(names).toEqual(expect.arrayContaining(['express', 'pg-types', 'preact']));
    expect(names).not.toContain('jest');
    expect(installed.length).toBeGreaterThan(100);
  });

  it('has a permissive licence', () => {
    expect(installed.flatMap(licenceProblems)).toEqual([]);
  });

  it('brings its licence along, but for two that declare it only', () => {
    expect(
      installed
        .filter(({ text }) => text === undefined)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['pg-types', 'pgpass']);
  });

  it('brings along the licence of what the page of the console is made of', () => {
    const page = join(__dirname, '../libs/console/dist/page');
    const scripts = readdirSync(page).filter((name) => name.endsWith('.js'));
    // The page, what draws its charts, and what both share.
    expect(scripts).toHaveLength(3);
    expect(installedInPage().map(({ name }) => name)).toEqual(expect.arrayContaining(['preact', 'uplot']));
    for (const script of scripts.map((name) => readFileSync(join(page, name), 'utf8')))
      for (const { text = 'none' } of installedInPage()) expect(script).toContain(text.trim());
  });

  // Scalar's packages are not installed: its browser build holds them, and its source maps name them.
  it('brings along the licences of what the page of the API reference is made of', () => {
    const made = bundledInReference();
    expect(made.size).toBeGreaterThan(100);
    const notices = readText('libs/reference/notices.txt');
    const labels = [...notices.matchAll(/^(\S+ \d\S*) \(([^)]+)\)$/gm)];
    const noticed = new Set(labels.map(([, label]) => label));
    expect([...made].map(([name, version]) => `${name} ${version}`).filter((label) => !noticed.has(label))).toEqual([]);
    const declared = labels.map(([, label = '', licence]) => ({
      name: label,
      version: '',
      declared: licence,
      text: undefined,
    }));
    expect(declared.flatMap(licenceProblems)).toEqual([]);
    const page = join(__dirname, '../libs/reference/dist/page');
    const [file = ''] = readdirSync(page).filter((name) => name.startsWith('notices-'));
    expect(readFileSync(join(page, file), 'utf8')).toBe(notices);
  });

  it('was installed from the lockfile that is there', () => {
    const lockfile = readText('pnpm-lock.yaml');
    expect(installed.filter(({ name, version }) => !lockfile.includes(`${name}@${version}`))).toEqual([]);
  });
});

// A check that nothing fails passes on everything, so it is tried on a violation.
describe('the check of licences', () => {
  const mit = 'Permission is hereby granted, free of charge, to any person';
  const check = (declared: string | undefined, text?: string) =>
    licenceProblems({ name: 'a', version: '1.0.0', declared, text });

  it.each([
    ['no licence', undefined, undefined, 'a 1.0.0 declares no licence'],
    ['a licence with conditions on what uses it', 'GPL-3.0-only', undefined, 'a 1.0.0 declares GPL-3.0-only'],
    ['the network one', 'AGPL-3.0-or-later', mit, 'a 1.0.0 declares AGPL-3.0-or-later'],
    ['one of two that both hold', 'MIT AND GPL-2.0-only', mit, 'a 1.0.0 declares MIT AND GPL-2.0-only'],
    ['a licence in words', 'SEE LICENSE IN LICENSE.txt', mit, 'a 1.0.0 declares SEE LICENSE IN LICENSE.txt'],
    [
      'a file that says another',
      'MIT',
      `${mit}\nGNU AFFERO GENERAL PUBLIC LICENSE`,
      'a 1.0.0 declares MIT, and its licence file another',
    ],
    [
      'a file that says none',
      'MIT',
      'All rights reserved.',
      'a 1.0.0 declares MIT, which its licence file does not say',
    ],
  ])('refuses %s', (_, declared, text, problem) => expect(check(declared, text)).toEqual([problem]));

  it.each([
    ['MIT', mit],
    ['MIT', undefined],
    ['(MIT OR GPL-3.0-only)', mit],
    ['MIT AND ISC', mit],
  ])('passes %s', (declared, text) => expect(check(declared, text)).toEqual([]));
});
