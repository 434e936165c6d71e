import { grouped, type Overview, type OverviewService } from '@sluice/types';
import { Moment } from './moment';

/** What has to run, or writes are neither accepted nor sent. */
const needed = ['write-gateway', 'batcher', 'executor'] as const;

/** Services that should run and do not, and those of several versions. Nothing while all is well. */
export function ServicesAttention({ services }: Pick<Overview, 'services'>) {
  // Right after a start none has reported yet, and neither has the service that answers.
  const isStarting = services.every(({ service }) => service !== 'management');
  const ended = needed.filter(
    (name) => !isStarting && (services.find(({ service }) => service === name)?.processes ?? 0) === 0,
  );
  const versions = new Set(services.flatMap((service) => service.versions));
  if (ended.length === 0 && versions.size < 2) return null;
  return (
    <section class="attention" aria-label="Services need attention">
      {ended.map((name) => (
        <p key={name}>
          <span>
            <strong>No {name} reports that it runs.</strong>{' '}
            <LastTime service={services.find(({ service }) => service === name)} />{' '}
            {name === 'write-gateway'
              ? 'Nothing is accepted.'
              : 'What is accepted waits, and is sent when one runs again.'}
          </span>
        </p>
      ))}
      {versions.size < 2 ? null : (
        <p>
          <span>
            <strong>Services of several versions run</strong> ({[...versions].join(', ')}): an upgrade is under way, or
            was not finished.
          </span>
        </p>
      )}
    </section>
  );
}

/** The services that ran in the span, with their versions. */
export function Services({ services }: Pick<Overview, 'services'>) {
  return (
    <ul class="services fine" aria-label="Services">
      {services.map(({ service, processes, versions }) => (
        <li key={service}>
          {service} <b>{grouped(processes)}</b> {versions.join(', ')}
        </li>
      ))}
    </ul>
  );
}

function LastTime({ service }: { readonly service: OverviewService | undefined }) {
  if (service === undefined) return <>None has in this time.</>;
  return (
    <>
      The last one did <Moment of={service.lastTime} />.
    </>
  );
}
