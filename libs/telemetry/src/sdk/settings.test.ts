import { readTraceSettings } from './settings';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('nothing is traced', () => {
  it.each([
    ['without an endpoint', {}],
    ['with an empty one', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['when the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
    ['when the exporter is none', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ])('%s', (_case, env) => expect(readTraceSettings(env)).toBeUndefined());
});

describe('which successes are kept', () => {
  it.each([
    ['by default one in a hundred, by trace id', {}, { ratio: 0.01, isCallersChoice: false }],
    ['a share', { OTEL_TRACES_SAMPLER_ARG: '0.25' }, { ratio: 0.25, isCallersChoice: false }],
    ['all', { OTEL_TRACES_SAMPLER: 'always_on' }, { ratio: 1, isCallersChoice: false }],
    ['none', { OTEL_TRACES_SAMPLER: 'always_off' }, { ratio: 0, isCallersChoice: false }],
    [
      'as the caller decides',
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
      { ratio: 0, isCallersChoice: true },
    ],
    ['all, but for the caller', { OTEL_TRACES_SAMPLER: 'parentbased_always_on' }, { ratio: 1, isCallersChoice: true }],
  ])('%s', (_case, env, successes) => {
    expect(readTraceSettings({ ...endpoint, ...env })).toEqual({ successes, ignored: [] });
  });

  it('is read with the endpoint of traces alone', () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' };
    expect(readTraceSettings(env)?.successes.ratio).toBe(0.01);
  });
});

describe('what is not supported', () => {
  it.each([
    ['a share that is none', { OTEL_TRACES_SAMPLER_ARG: '7' }, /not a number from 0 to 1/],
    ['no number', { OTEL_TRACES_SAMPLER_ARG: 'much' }, /not a number/],
    ['an unknown sampler', { OTEL_TRACES_SAMPLER: 'xray' }, /xray is not known/],
    ['another protocol', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /grpc is not spoken/],
  ])('%s is reported, and the default is taken', (_case, env, reason) => {
    const settings = readTraceSettings({ ...endpoint, ...env });
    expect(settings?.successes).toEqual({ ratio: 0.01, isCallersChoice: false });
    expect(settings?.ignored).toEqual([expect.stringMatching(reason)]);
  });
});
