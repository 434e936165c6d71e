import { type Panel, quantiles, rates } from './panel';

/** What providers answer, how fast, and how much of their quota is left. */
export const providerPanels: readonly Panel[] = [
  {
    title: 'Calls by result',
    description: 'ok, or the class of the failure.',
    unit: 'ops',
    lines: rates('provider, result', 'sluice_provider_calls_total'),
  },
  {
    title: 'Calls by operation',
    description: 'What they are asked for.',
    unit: 'ops',
    lines: rates('provider, operation', 'sluice_provider_calls_total'),
  },
  {
    title: 'Call duration',
    description: 'Of all operations. Past 5 s an account is narrowed to one call at a time.',
    unit: 's',
    lines: quantiles([0.5, 0.99], 'provider', 'sluice_provider_call_seconds_bucket'),
  },
  {
    title: 'Burst quota left',
    description: 'When a call takes from it. The tenth part of accounts with the least.',
    unit: 'percentunit',
    lines: quantiles([0.1], 'provider, quota', 'sluice_quota_left_ratio_bucket'),
  },
  {
    title: 'Daily quota used',
    description: 'As replies state it. Near 100 %, some customer is about to be refused for the rest of the day.',
    unit: 'percentunit',
    lines: quantiles([0.99], 'provider', 'sluice_provider_daily_usage_ratio_bucket'),
  },
  {
    title: 'Held back by us',
    description: 'Calls not made because the quota of their account was spent.',
    unit: 'ops',
    lines: rates('provider, quota', 'sluice_quota_refusals_total'),
  },
  {
    title: 'Accounts blocked',
    description: 'Blocked seconds per second: how many accounts stand still at once, on average.',
    unit: 'short',
    lines: rates('provider', 'sluice_lane_blocked_seconds_total'),
  },
  {
    title: 'Token refreshes',
    description: 'refused: the customer must connect again. failed: the provider is away, or refuses the app.',
    unit: 'ops',
    lines: rates('provider, result', 'sluice_token_refreshes_total'),
  },
  {
    title: 'Connections that turned bad_credentials',
    description: 'Within an hour. Many at once are a dead provider app, not customers.',
    unit: 'short',
    lines: [['sum(increase(sluice_bad_credentials_total[1h]))', 'connections']],
  },
];
