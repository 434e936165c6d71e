import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { buildImages, everyTarget, findEngine, withOfflineSettings } from './container-engine.mjs';
import { root, tool, workspaceNode } from './paths.mjs';
import { readOptions } from './read-options.mjs';
import { runChild } from './run-child.mjs';

const usage = `usage: npm run test:images -- [--offline] [--no-build] [--target executor[,search]]...
  --offline   podman on bases made from Debian packages, where no image registry can be reached (as root)
  --no-build  tests the images of package.json's version that are there`;

/**
 * `npm run test:images`: builds every image, checks its contents, runs each alone, then walks the tour against all of them. Linux, because
 * of the host's network.
 * @returns 0 when everything held; 1 also when there is no container engine
 */
export async function runImages(args) {
  const choice = readChoice(args);
  if (choice === undefined) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const found = findEngine();
  if (found === undefined) return 1;
  const engine = choice.offline ? withOfflineSettings(found) : found;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const targets = choice.target ?? everyTarget;
  // The migration prepares the database of every test.
  const needed = [...new Set(['migrate'].concat(targets))];
  const built = choice['no-build']
    ? 0
    : await buildImages(engine, { targets: needed, tag: version, isOffline: choice.offline });
  if (built !== 0) return built;
  const env = { ...engine.env, IMAGES_ENGINE: engine.program, IMAGES_TAG: version };
  if (choice.target !== undefined) env.IMAGES_TARGETS = choice.target.join();
  const config = join(root, 'tests', 'images', 'jest.config.js');
  return await runChild(workspaceNode, [tool('jest'), '-c', config, '--runInBand'], { env });
}

function readChoice(args) {
  const values = readOptions(args, {
    offline: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    target: { type: 'string', multiple: true },
  });
  return values?.target?.every((target) => everyTarget.includes(target)) === false ? undefined : values;
}
