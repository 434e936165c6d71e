import type { Request } from 'express';
import { invalid } from './validate';

/**
 * The query as plain texts. A name given twice has no one meaning, so it is refused.
 * @throws ValidationError with an issue per repeated name
 */
export function readQuery(req: Request): Record<string, string> {
  if (!req.url.includes('?')) return {};
  // Express parses anew at each read of `query`.
  const query = Object.entries(req.query);
  const repeated = query.filter(([, value]) => typeof value !== 'string');
  if (repeated.length > 0) {
    throw invalid(repeated.map(([name]) => ({ in: 'query', name, detail: 'is given more than once' })));
  }
  return Object.fromEntries(query) as Record<string, string>;
}
