import type { Recording } from '@sluice/certify';

/** Stands for what is a person's: no word of any provider. */
export const secret = 'Qzanary';

/** What providers put where nobody asked: owners, organisations, links, maps by person. */
const extras = {
  owner: {
    name: `${secret} Smith`,
    email: `${secret}@acme.test`,
    id: `usr_${secret}0123456789`,
    phone: `+49 ${secret}`,
  },
  zz_organization: [{ name: secret, url: `https://${secret}.acme.test/people/${secret}?q=${secret}` }],
  [secret]: { [`${secret}@acme.test`]: `${secret}, ${secret}` },
};

/** The same recording, with more than it needs in every object of every reply. */
export function poisoned(recording: Recording): Recording {
  const exchanges = recording.exchanges.map((exchange) => {
    const { reply } = exchange;
    if (!reply) return exchange;
    const headers = { ...reply.headers, 'retry-after': secret, 'x-owner': secret };
    const json = reply.json === undefined ? {} : { json: poison(reply.json) };
    return { ...exchange, reply: { ...reply, headers, ...json } };
  });
  return { ...recording, exchanges };
}

function poison(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(poison);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, poison(inner)]);
  return { ...Object.fromEntries(members), ...extras };
}
