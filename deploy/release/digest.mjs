/**
 * `npm run release:digest`: notes the digest of an image that was pushed, in `dist/release/digests`. The environment holds IMAGE (its name,
 * `executor`) and DIGEST (`sha256:…`).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const { IMAGE = '', DIGEST = '' } = process.env;
if (/^[a-z-]+$/.test(IMAGE) && /^sha256:[0-9a-f]{64}$/.test(DIGEST)) {
  mkdirSync('dist/release/digests', { recursive: true });
  writeFileSync(`dist/release/digests/${IMAGE}`, `${IMAGE} ${DIGEST}\n`);
} else {
  process.stderr.write('IMAGE must be a name and DIGEST sha256: with 64 hexadecimal digits\n');
  process.exitCode = 2;
}
