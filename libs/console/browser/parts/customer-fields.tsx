import type { GroupHealth, Integration } from '@sluice/types';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf } from '../use-route';
import type { Api } from '../session';
import { useLoad } from '../use-load';
import { CustomerName } from './customer-name';
import type { FieldIssue } from './field';
import type { FormField } from './form';

/** Longer than between two key strokes, shorter than a reader waits for. */
const pauseMs = 250;
/** Others are found by typing more. */
const shownMax = 8;

/** The fields that say who the customer is. What is typed is looked for among the customers, by name and by ref. */
export function useCustomerFields(api: Api) {
  const [text, setText] = useState('');
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const { value, error } = useLoad(`groups ${text}`, (signal) =>
    api.listGroupHealth({ pageSize: shownMax, ...(text === '' ? {} : { search: text }) }, { signal }),
  );
  const last = useRef<readonly GroupHealth[]>([]);
  if (value !== undefined) last.current = value.results;
  const groups = last.current;
  const known = groups.find(({ groupRef }) => groupRef === text);
  const users = new Set(known?.installations.map(({ connection }) => connection.consumerRef));
  for (const { consumerRef } of known?.unusedConnections ?? []) users.add(consumerRef);
  const type = (typed: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setText(typed.trim()), pauseMs);
  };
  const fieldsFor = (integration: Integration): readonly FormField[] => [
    {
      name: 'groupRef',
      title: 'Customer: your id of the group (groupRef)',
      placeholder: 'Search by name, or type a new id',
      suggestions: groups.map(({ groupRef, groupName }) => [groupRef, groupName] as const),
      onInput: type,
      hint:
        error === undefined && text !== '' && value !== undefined ? (
          <Known group={known} integration={integration} />
        ) : (
          ''
        ),
    },
    ...(known === undefined ? [{ name: 'groupName', title: 'Name of a new customer', isOptional: true }] : []),
    {
      name: 'consumerRef',
      title: 'Who connects: your id of the user (consumerRef)',
      suggestions: [...users].map((each) => [each, 'has connected before'] as const),
    },
  ];
  return { fieldsFor };
}

interface KnownOptions {
  readonly group: GroupHealth | undefined;
  readonly integration: Integration;
}

/** Whether the customer is known, and what of them is installed. */
function Known({ group, integration }: KnownOptions) {
  if (group === undefined) return <>A new customer: nobody has this id.</>;
  const installed = group.installations.find(({ integrationId }) => integrationId === integration.id);
  return (
    <>
      <CustomerName groupRef={group.groupRef} groupName={group.groupName} />{' '}
      {installed === undefined ? (
        `does not have ${integration.name}.`
      ) : (
        <>
          has {integration.name} already:{' '}
          <a href={hrefOf(`customers/${installed.id}`)}>see it, and connect again there</a>
        </>
      )}
    </>
  );
}

/** Before anything is connected: of one integration a customer has one installation. @throws an error with the field that names the customer */
export async function refuseInstalled(api: Api, integration: Integration, groupRef: string): Promise<void> {
  const found = await api.listInstallations({ integrationId: integration.id, groupRef, pageSize: 1 });
  if (found.length > 0) throw new InstalledError(groupRef, integration.name);
}

class InstalledError extends Error {
  readonly remedy = 'Find the customer among the customers, and connect again there.';
  readonly issues: readonly FieldIssue[];

  constructor(groupRef: string, integrationName: string) {
    super(`${groupRef} has ${integrationName} already.`);
    this.issues = [{ name: 'groupRef', detail: `must be a customer without ${integrationName}`, value: groupRef }];
  }
}
