import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertMounted, claimVersion } from './container-command';

const mountInfo = [
  '1 0 0:30 / / ro,relatime - overlay overlay rw',
  '2 1 254:0 /volumes/sluice/_data /data rw,relatime - ext4 /dev/vda rw',
  String.raw`3 1 254:0 /x /mnt/my\040disk rw,relatime - ext4 /dev/vda rw`,
].join('\n');

describe('assertMounted', () => {
  it.each(['/data', '/data/', '/data/within', '/mnt/my disk'])('takes %s, which is on a volume', (folder) => {
    expect(() => assertMounted(folder, mountInfo)).not.toThrow();
  });

  it.each(['/database', '/app/data'])('refuses %s, which goes with the container', (folder) => {
    expect(() => assertMounted(folder, mountInfo)).toThrow(
      expect.objectContaining({
        detail: `No volume is mounted at ${folder}, so everything would be lost with this container.`,
        remedy: `Add -v sluice:${folder} to docker run.`,
      }),
    );
  });
});

describe('claimVersion', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sluice-volume-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('takes a new volume, the same version, and data of an older one', () => {
    const home = join(folder, 'sandbox');
    expect(() => {
      claimVersion(home, '0.1.0', '20261124T000000-first');
      claimVersion(home, '0.1.0', '20261124T000000-first');
      claimVersion(home, '0.2.0', '20261127T100000-second');
      claimVersion(home, '0.2.1', '20261127T100000-second');
    }).not.toThrow();
  });

  it('refuses data of a newer version, and goes on refusing it', () => {
    claimVersion(folder, '0.2.0', '20261127T100000-second');
    for (const _ of [1, 2]) {
      expect(() => claimVersion(folder, '0.1.0', '20261124T000000-first')).toThrow(
        expect.objectContaining({
          detail: `The data in ${folder} was used by Sluice 0.2.0, which is newer than this, 0.1.0.`,
          remedy: 'Run the image of 0.2.0 or of a later version, or mount another volume.',
        }),
      );
    }
  });
});
