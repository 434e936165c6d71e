import { grouped, pluralize, type Overview } from '@sluice/types';
import { inFull } from '../format';
import { hrefOf } from '../use-route';
import { CustomerName } from './customer-name';

/** Who fails most in the span, and with what; each leads to its operations. Nothing while none failed. */
export function TopFailures({ overview: { failures, span, startTime: since } }: { readonly overview: Overview }) {
  const { records, completeSince, customers, problems } = failures;
  if (records === 0) return null;
  const failed = { hasFailures: 'true', since };
  const of =
    completeSince === undefined
      ? `${pluralize(records, 'record')} of writes accepted in the last ${span} failed.`
      : `Of the last ${grouped(records)} failures; all of them only since ${inFull(completeSince)}.`;
  return (
    <section class="tops" aria-label="Failures">
      <div class="panel top">
        <h2>Failing customers</h2>
        <ol>
          {customers.map(({ groupRef, groupName, records: many }) => (
            <li key={groupRef}>
              <a href={hrefOf('operations', { ...failed, groupRef })}>
                <CustomerName groupRef={groupRef} groupName={groupName} />
              </a>
              <b class="number">{grouped(many)}</b>
            </li>
          ))}
        </ol>
        <p class="fine">{of}</p>
      </div>
      <div class="panel top">
        <h2>Problems</h2>
        <ol>
          {problems.map(({ code, field, message, records: many, customers: met }) => (
            <li key={`${code} ${field} ${message}`}>
              <a href={hrefOf('operations', { ...failed, problemCode: code, problemField: field })} title={message}>
                <span class="line">
                  {field === undefined ? null : <b>{field}: </b>}
                  {message || 'A failure without a text'}
                </span>
                <span class="line fine">{[code, pluralize(met, 'customer')].filter(Boolean).join(' · ')}</span>
              </a>
              <b class="number">{grouped(many)}</b>
            </li>
          ))}
        </ol>
        <p class="fine">Records that have the problem.</p>
      </div>
    </section>
  );
}
