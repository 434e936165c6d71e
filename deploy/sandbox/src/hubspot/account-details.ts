import type { Action } from './api-call';

/** `GET /account-info/v3/details`: who the token belongs to. Only `portalId` differs between accounts. */
export const accountDetails: Action = ({ portalId }) => ({
  status: 200,
  body: {
    portalId,
    accountType: 'STANDARD',
    timeZone: 'UTC',
    companyCurrency: 'EUR',
    additionalCurrencies: [],
    utcOffset: '+00:00',
    utcOffsetMilliseconds: 0,
    uiDomain: 'app.hubspot.com',
    dataHostingLocation: 'na1',
  },
});
