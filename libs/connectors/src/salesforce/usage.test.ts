import { usageOf } from './call-salesforce';

test.each([
  ['api-usage=10018/100000', { used: 10_018, limit: 100_000 }],
  ['api-usage=5/15000; per-app-api-usage=17/250(appName=x)', { used: 5, limit: 15_000 }],
  ['per-app-api-usage=17/250(appName=x)', undefined],
  ['api-usage=1/0', undefined],
  ['', undefined],
])('the daily usage in %j', (value, expected) => {
  expect(usageOf({ 'sforce-limit-info': value })).toEqual(expected);
});
