import type { OverviewSetup } from '@sluice/types';
import { hrefOf } from '../use-route';
import { GuideLink } from './guide-link';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly href: string;
  readonly isDone: boolean;
}

/** What a project needs before its first record is written; each step leads to its form. */
export function Checklist({ setup }: { readonly setup: OverviewSetup }) {
  const steps: readonly Step[] = [
    {
      title: 'Deploy an integration',
      text: 'A manifest names the provider, its objects and what may be written.',
      action: 'Deploy a manifest',
      href: hrefOf('developers/integrations'),
      isDone: setup.hasIntegration,
    },
    {
      title: 'Store your provider app (optional)',
      text: 'Needed when customers connect with OAuth; not for an API key or a token.',
      action: 'Add a provider app',
      href: hrefOf('developers/apps'),
      isDone: setup.hasProviderApp,
    },
    {
      title: 'Connect a customer',
      text: 'One of your customers, with an account at the provider.',
      action: 'Connect a customer',
      href: hrefOf('customers/new'),
      isDone: setup.hasCustomer,
    },
    {
      title: 'Write a record',
      text: setup.hasWrite
        ? 'A write was accepted. No record is written yet.'
        : 'As your backend would, at first as a dry run.',
      action: setup.hasWrite ? 'See what became of it' : 'Try a write',
      href: setup.hasWrite ? hrefOf('operations') : hrefOf('developers/try'),
      isDone: false,
    },
  ];
  const next = steps.find(({ isDone, title }) => !isDone && !title.endsWith('(optional)'));
  return (
    <section class="panel checklist" aria-labelledby="checklist">
      <h2 id="checklist">Your first record</h2>
      <ol>
        {steps.map((step) => (
          <li key={step.title} class={step.isDone ? 'done' : undefined}>
            <span class="tick" aria-hidden="true">
              {step.isDone ? '✓' : ''}
            </span>
            <div>
              <strong>{step.title}</strong>
              {step.isDone ? <span class="hidden"> (done)</span> : null}
              <span class="fine">{step.text}</span>
            </div>
            <a href={step.href} class={step === next ? 'button primary' : 'button'}>
              {step.isDone ? 'Open' : step.action}
            </a>
          </li>
        ))}
      </ol>
      <p class="fine">
        The same from a shell: <GuideLink of="quickstart">the quickstart</GuideLink>.
      </p>
    </section>
  );
}
