import { assertRetention } from './config';

it.each([
  [30, 0],
  [30, 30],
  [1, 3650],
])('values for %s days and operations for %s are fine', (retentionDays, operationRetentionDays) => {
  expect(() => assertRetention({ retentionDays, operationRetentionDays })).not.toThrow();
});

it('operations that would go before their values are refused, with both settings', () => {
  expect(() => assertRetention({ retentionDays: 30, operationRetentionDays: 29 })).toThrow(
    'SLUICE_OPERATION_RETENTION_DAYS=29 must be 0 (never) or at least SLUICE_RETENTION_DAYS, which is 30',
  );
});
