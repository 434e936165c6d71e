import {
  generalSentence,
  grouped,
  pluralize,
  problemTextCharactersMax,
  withoutIds,
  type Overview,
  type OverviewFailures,
} from '@sluice/types';
import { inFull } from '../format';
import { hrefOf } from '../use-route';
import { CustomerName } from './customer-name';

/** Who fails most in the span, and with what; each leads to its operations. Nothing while none failed. */
export function TopFailures({ overview: { failures, span, startTime } }: { readonly overview: Overview }) {
  const { records, completeSince, customers, problems } = failures;
  if (records === 0) return null;
  const isPart = completeSince !== undefined;
  const failed = { hasFailures: 'true', since: completeSince ?? startTime };
  const of = isPart
    ? `Complete since ${inFull(completeSince)}; older failures of the ${span} are left out, or counted in part.`
    : `${pluralize(records, 'record')} of writes accepted in the last ${span} failed.`;
  // Beside the name of a longer span a number alone would be taken for that of the span.
  const total = isPart ? <span class="fine"> of {grouped(records)}</span> : null;
  return (
    <section class="tops" aria-label="Failures">
      <div class="panel top">
        <h2>{isPart ? `Failing customers, of the newest ${grouped(records)} failures` : 'Failing customers'}</h2>
        <ol>
          {customers.map(({ groupRef, groupName, records: many }) => (
            <li key={groupRef}>
              <a href={hrefOf('operations', { ...failed, groupRef })}>
                <CustomerName groupRef={groupRef} groupName={groupName} />
              </a>
              <span class="number">
                <b>{grouped(many)}</b>
                {total}
              </span>
            </li>
          ))}
        </ol>
        <p class="fine">{of}</p>
      </div>
      <div class="panel top">
        <h2>{isPart ? `Problems, of the newest ${grouped(records)} failures` : 'Problems'}</h2>
        <ol>
          {problems.map((problem) => {
            const { code, field, message, records: many, customers: met } = problem;
            return (
              <li key={`${code} ${field} ${message}`}>
                <a
                  href={hrefOf('operations', { ...failed, ...filterOf(problem) })}
                  title={many === 1 ? message : undefined}
                >
                  <span class="line">
                    {field === undefined ? null : <b>{field}: </b>}
                    {(many === 1 ? generalSentence([message], code) : withoutIds(message)) ||
                      'A failure without a text'}
                  </span>
                  <span class="line fine">{[code, pluralize(met, 'customer')].filter(Boolean).join(' · ')}</span>
                </a>
                <span class="number">
                  <b>{grouped(many)}</b>
                  {total}
                </span>
              </li>
            );
          })}
        </ol>
        <p class="fine">Records that have the problem.</p>
      </div>
    </section>
  );
}

/** What finds the operations of a problem. */
function filterOf({ code, field, message }: OverviewFailures['problems'][number]): Record<string, string | undefined> {
  if (code !== undefined || field !== undefined) return { problemCode: code, problemField: field };
  // The service counts characters, not the units of JavaScript's texts.
  return { problemText: Array.from(message).slice(0, problemTextCharactersMax).join('') };
}
