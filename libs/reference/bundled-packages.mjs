import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `build.mjs` leaves out of Scalar's browser build: the assistant, and the icons that a document may name. */
export const leftOut = /(AgentScalarDrawer|\.svg)-[\w-]+\.js$/;

/**
 * The packages that Scalar's browser build is made of, as its source maps name them, besides those of Scalar itself: name to version.
 * @param folder an installed `@scalar/api-reference`
 */
export function bundledPackages(folder) {
  const chunks = join(folder, 'dist/browser');
  // The smallest has no map: it is the runtime of Scalar's bundler.
  const maps = globSync('{*.esm,chunks/*}.js.map', { cwd: chunks }).filter(
    (map) => !leftOut.test(map.replace('.map', '')),
  );
  const found = new Map();
  for (const map of maps) {
    const { sources } = JSON.parse(readFileSync(join(chunks, map), 'utf8'));
    for (const source of sources) {
      const [, name, version] = /.*node_modules\/\.pnpm\/((?:@[^/+]+\+)?[^/@]+)@([^/_(]+)/.exec(source) ?? [];
      if (name !== undefined) found.set(name.replace('+', '/'), version);
    }
  }
  return new Map([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
