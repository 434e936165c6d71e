import type { AccountSettings } from '../control/imitated-provider';
import type { DataCentre, RestStyle } from './rest-style';

/** Where an account is; undefined for a provider without data centres. */
export function dataCentreOf(
  { dataCentres = {} }: RestStyle,
  { dataCentre }: Pick<AccountSettings, 'dataCentre'>,
): DataCentre | undefined {
  return dataCentre === undefined ? Object.values(dataCentres)[0] : dataCentres[dataCentre];
}
