import { withLocalWebhooks } from './service-env';

it('a local start allows webhooks to this machine, and leaves a setting that is there', () => {
  expect(withLocalWebhooks({ HOME: '/h' })).toEqual({ HOME: '/h', SLUICE_WEBHOOK_EGRESS_ALLOW: '127.0.0.1/32' });
  for (const given of ['', '10.0.0.0/8']) {
    const env = { SLUICE_WEBHOOK_EGRESS_ALLOW: given };
    expect(withLocalWebhooks(env)).toEqual(env);
  }
});
