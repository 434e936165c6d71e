import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate with its key, both PEM, and where they lie. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate authority of one test, made with openssl. */
export interface Authority {
  /** PEM. */
  readonly ca: string;
  readonly caFile: string;
  /** @param name its common name @param hosts for a server: the names it is for */
  issue(name: string, hosts?: readonly string[]): Certificate;
}

const days = '2';
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function createAuthority(folder: string): Authority {
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  openssl(
    'req',
    '-x509',
    ...curve,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-days',
    days,
    '-subj',
    '/CN=test authority',
  );
  const caFile = join(folder, 'ca.crt');
  return {
    ca: readFileSync(caFile, 'utf8'),
    caFile,
    issue: (name, hosts = []) => {
      const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
      openssl('req', '-new', ...curve, '-keyout', keyFile, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      const names = hosts.map((host) => `DNS:${host}`).join(',');
      writeFileSync(join(folder, `${name}.ext`), names === '' ? '' : `subjectAltName=${names}\n`);
      const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', days, '-extfile', `${name}.ext`];
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', certFile, ...signed);
      chmodSync(keyFile, 0o600);
      return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    },
  };
}
