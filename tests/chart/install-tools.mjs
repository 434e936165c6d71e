/**
 * `npm run chart:tools`: makes the programs that the chart's tests need, with Go, into the checkout's own folder. A few minutes, once.
 * Ends with 0 where there is no Go: the tests say then what they did not check.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const modules = {
  helm: 'helm.sh/helm/v4/cmd/helm@v4.2.0',
  'kubectl-validate': 'sigs.k8s.io/kubectl-validate@v0.0.4',
};
const folder = fileURLToPath(new URL('../../.sluice/tools', import.meta.url));
mkdirSync(folder, { recursive: true });

for (const [tool, module] of Object.entries(modules)) {
  if (existsSync(join(folder, tool))) continue;
  process.stdout.write(`${tool}: go install ${module}\n`);
  try {
    execFileSync('go', ['install', module], {
      env: { ...process.env, GOBIN: folder },
      stdio: 'inherit',
      timeout: 900_000,
    });
  } catch (error) {
    process.stdout.write(`${tool} could not be made: ${error.message}\n`);
  }
}
