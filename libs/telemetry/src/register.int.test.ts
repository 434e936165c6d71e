import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const register = join(__dirname, '../dist/register.js');
/** What a process has loaded of OpenTelemetry, and what it printed. */
const program = `
  const loaded = Object.keys(require.cache).filter((path) => path.includes('opentelemetry'));
  process.stdout.write('loaded ' + loaded.length);
`;

function run(env: Record<string, string>): string {
  const options = { env, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, ['--require', register, '-e', program], options);
}

describe('a process that is started with it', () => {
  it.each([
    ['without an endpoint', {}],
    ['with one, but disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }],
  ])('%s loads nothing of OpenTelemetry and prints nothing', (_case, env) => {
    expect(run(env)).toBe('loaded 0');
  });

  it('with an endpoint loads it, reports what it ignores, and ends although there is no collector', () => {
    const out = run({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER_ARG: 'much' });
    expect(out).toMatch(/"level":"warn".*telemetry\.settings-ignored/);
    expect(out).toMatch(/loaded [1-9]\d+$/);
  });
});
