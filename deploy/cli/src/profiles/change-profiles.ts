import { readFileSync } from 'node:fs';
import { readProcessEnv } from '@sluice/config';
import { CommandFailure } from '../failure';
import { print, renderTable } from '../output/print';
import { askSecret } from './ask';
import { addressOf, findProfile, ownProject, type GivenOptions } from './connect';
import { profileFileOf, readProfiles, writeProfiles, type Profile } from './profile-file';

interface AddOptions extends GivenOptions {
  readonly url?: string;
  readonly writeUrl?: string;
  readonly searchUrl?: string;
  readonly demo?: string;
}

const file = () => profileFileOf(readProcessEnv());

/** `sluice profile list`. The keys are not shown. */
export async function list(options: GivenOptions): Promise<void> {
  const { current, profiles } = readProfiles(file());
  const shown = Object.entries(profiles).map(([name, { url, project }]) => ({
    name,
    url,
    ...(project !== undefined && { project }),
    inUse: name === current,
  }));
  print(options, shown, () =>
    renderTable(
      shown,
      [['', ({ inUse }) => (inUse ? '*' : '')], ['profile', 'name'], ['address', 'url'], 'project'],
      'No profiles. Add one: sluice profile add <name> --url <url>',
    ),
  );
}

/** `sluice profile add <name>`. Verified before it is saved: a wrong address or key is reported at once. */
export async function add(options: AddOptions, name: string): Promise<void> {
  const source = `profile ${name}`;
  const given = options.demo === undefined ? await askFor(options) : readDemo(options.demo);
  const url = addressOf(given.url, source);
  const project = options.project ?? given.project ?? (await ownProject(url, given.apiKey, source));
  if (given.project !== undefined) await ownProject(url, given.apiKey, source);
  const writeUrl = given.writeUrl === undefined ? {} : { writeUrl: addressOf(given.writeUrl, source) };
  const searchUrl = given.searchUrl === undefined ? {} : { searchUrl: addressOf(given.searchUrl, source) };
  const { profiles } = readProfiles(file());
  const added = { url, apiKey: given.apiKey, project, ...writeUrl, ...searchUrl };
  writeProfiles(file(), { current: name, profiles: { ...profiles, [name]: added } });
  print(options, { name, url, project, inUse: true }, () => `Profile ${name} is in use: ${url}, project ${project}.`);
}

async function askFor({ url, writeUrl, searchUrl }: AddOptions): Promise<Profile> {
  if (url === undefined)
    throw new CommandFailure('Add --url with the management address, or --demo .sluice/demo.json.');
  const apiKey = await askSecret('API key: ', 'No key was given.');
  return {
    url,
    apiKey,
    ...(writeUrl !== undefined && { writeUrl }),
    ...(searchUrl !== undefined && { searchUrl }),
  };
}

function readDemo(path: string): Profile {
  try {
    const { baseUrl, writeUrl, searchUrl, apiKey, project } = JSON.parse(readFileSync(path, 'utf8')) as {
      baseUrl: string;
      writeUrl: string;
      searchUrl?: string;
      apiKey: string;
      project: { id: string };
    };
    return { url: baseUrl, writeUrl, ...(searchUrl && { searchUrl }), apiKey, project: project.id };
  } catch {
    throw new CommandFailure(`${path} is no demo file. npm start writes one to .sluice/demo.json.`);
  }
}

/** `sluice profile use <profile>`. */
export async function use(options: GivenOptions, name: string): Promise<void> {
  const { profiles } = readProfiles(file());
  const { url } = findProfile(profiles, name);
  writeProfiles(file(), { current: name, profiles });
  print(options, { name, url, inUse: true }, () => `Profile ${name} is in use: ${url}.`);
}

/** `sluice profile remove <profile>`. */
export async function remove(options: GivenOptions, name: string): Promise<void> {
  const { current, profiles } = readProfiles(file());
  findProfile(profiles, name);
  const { [name]: _forgotten, ...others } = profiles;
  writeProfiles(file(), { ...(current !== undefined && current !== name && { current }), profiles: others });
  print(options, { name, removed: true }, () => `Profile ${name} is forgotten.`);
}
