import type { GroupHealth, Operation } from '@sluice/types';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { shortId } from '../format';
import { isUnanswered, noteAnswer, noteFailure, retryMs } from '../network';
import { apiOf, type Api, type Session } from '../session';
import { goTo, hrefOf } from '../use-route';
import { Problem } from './problem';

/** What can be opened. */
interface Target {
  readonly kind: 'Page' | 'Customer' | 'Operation' | 'Docs' | 'Search';
  readonly name: string;
  /** In soft text beside the name. */
  readonly more?: string | undefined;
  readonly href: string;
}

const pages: readonly Target[] = [
  ...(
    [
      ['Overview', 'overview'],
      ['Operations', 'operations'],
      ['Customers', 'customers'],
      ['Connect a customer', 'customers/new'],
      ['Lanes', 'lanes'],
      ['Integrations', 'developers/integrations'],
      ['Provider apps', 'developers/provider-apps'],
      ['Keys', 'developers/keys'],
      ['Webhooks', 'developers/webhooks'],
      ['Try a write', 'developers/try'],
    ] as const
  ).map(([name, path]) => ({
    kind: 'Page' as const,
    name,
    more: path.startsWith('developers') ? 'Developers' : undefined,
    href: hrefOf(path),
  })),
  { kind: 'Docs', name: 'Guide', href: 'docs/guide' },
  { kind: 'Docs', name: 'API reference', href: 'docs/reference' },
];

/** Longer than between two key strokes. */
const pauseMs = 200;
const customersMax = 6;
const operationsMax = 4;
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** What the console shows of an operation's id, or a longer beginning of it. */
const partOfId = /^[\da-f]{8}(?:-[\da-f-]*)?$/i;

interface Found {
  readonly text: string;
  readonly targets: readonly Target[];
  readonly error?: unknown;
}

interface PaletteOptions {
  readonly session: Session;
  readonly onClose: () => void;
}

/** Opens a page, a customer or an operation by what is typed of it: arrows choose, Enter opens, Escape closes. */
export function CommandPalette({ session, onClose }: PaletteOptions) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useFound(session, text);
  useEffect(() => dialog.current?.showModal(), []);
  const isAsking = text !== '' && found.text !== text;
  const own = [...pagesOf(text), ...(isAsking ? [] : found.targets)];
  const targets = own.length === 0 && text !== '' && !isAsking ? [searchOf(text)] : own;
  const active = Math.min(chosen, targets.length - 1);
  const open = (target: Target | undefined): void => {
    if (target === undefined) return;
    dialog.current?.close();
    if (target.kind === 'Docs') window.open(target.href, '_blank', 'noreferrer');
    else goTo(target.href);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') open(targets[active]);
    else if (step !== undefined && targets.length > 0) setChosen((active + step + targets.length) % targets.length);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Find a page, a customer or an operation" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Page, customer or operation"
        aria-expanded={targets.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={targets.length === 0 ? undefined : `${listId}-${active}`}
        placeholder="Page, beginning of a customer's name or ref, id of an operation or a record"
        autocomplete="off"
        spellcheck={false}
        autoFocus
        onInput={({ currentTarget }) => {
          setText(currentTarget.value.trim());
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Targets listId={listId} targets={targets} active={active} onChoose={setChosen} onOpen={open} />
      <p class="fine" role="status">
        {isAsking ? 'Searching…' : own.length > 0 || found.error !== undefined ? '' : `Nothing begins with ${text}.`}
      </p>
      {isAsking || found.error === undefined ? null : (
        <Problem error={found.error} title="Customers and operations could not be searched" />
      )}
    </dialog>
  );
}

interface TargetsOptions {
  readonly listId: string;
  readonly targets: readonly Target[];
  readonly active: number;
  readonly onChoose: (at: number) => void;
  readonly onOpen: (target: Target) => void;
}

function Targets({ listId, targets, active, onChoose, onOpen }: TargetsOptions) {
  const idOf = (at: number): string => `${listId}-${at}`;
  useEffect(() => document.getElementById(idOf(active))?.scrollIntoView({ block: 'nearest' }), [active]);
  return (
    <ul id={listId} role="listbox" aria-label="What can be opened">
      {targets.map((target, at) => (
        <li
          key={`${target.kind} ${target.href}`}
          id={idOf(at)}
          role="option"
          aria-selected={at === active}
          onClick={() => onOpen(target)}
          onPointerMove={() => onChoose(at)}
        >
          <span class="fine">{target.kind}</span>
          <span class="name" title={target.name}>
            {target.name}
          </span>
          {target.more === undefined ? null : <span class="fine more">{target.more}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Where the text is, at the beginning of a word. */
function pagesOf(text: string): Target[] {
  const typed = ` ${text.toLowerCase()}`;
  return pages.filter(({ name, more = '' }) => ` ${name} ${more}`.toLowerCase().includes(typed.trimEnd()));
}

/** What the service knows of the text: asked for once per pause of typing, and again while nothing answers. Late answers are dropped. */
function useFound(session: Session, text: string): Found {
  const [found, setFound] = useState<Found>({ text: '', targets: [] });
  useEffect(() => {
    const leaving = new AbortController();
    const api = apiOf(session.apiKey, session.project.id);
    const ask = async (): Promise<void> => {
      try {
        const targets = uuid.test(text)
          ? await operationOf(api, text, leaving.signal)
          : [
              ...(await customersOf(api, text, leaving.signal)),
              ...(partOfId.test(text) ? await operationsOf(api, text, leaving.signal) : []),
            ];
        noteAnswer();
        if (!leaving.signal.aborted) setFound({ text, targets });
      } catch (error) {
        if (leaving.signal.aborted) return;
        noteFailure(error);
        setFound({ text, targets: [], error });
        if (isUnanswered(error)) timer = setTimeout(() => void ask(), retryMs);
      }
    };
    let timer = text === '' ? undefined : setTimeout(() => void ask(), pauseMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text]);
  return text === '' ? { text, targets: [] } : found;
}

async function operationOf(api: Api, operationId: string, signal: AbortSignal): Promise<Target[]> {
  return [operationTarget(await api.getOperation({ operationId }, { signal }))];
}

/** Those that an id begins or ends so, or that wrote the record of this id: the search of the list answers for all. */
async function operationsOf(api: Api, search: string, signal: AbortSignal): Promise<Target[]> {
  const { results } = await api.listOperationsForProject({ search, pageSize: operationsMax }, { signal });
  return results.map(operationTarget);
}

function operationTarget({ id, resource, groupRef }: Operation): Target {
  const name = [resource, groupRef].filter(Boolean).join(' of ');
  return { kind: 'Operation', name, more: shortId(id), href: hrefOf(`operations/${id}`) };
}

/** A record's ref or id is found by the list, which may read long for it. */
function searchOf(text: string): Target {
  return { kind: 'Search', name: `Search operations for ${text}`, href: hrefOf('operations', { search: text }) };
}

/** Each once, whatever it has installed, by the beginning of its name or of its ref. */
async function customersOf(api: Api, search: string, signal: AbortSignal): Promise<Target[]> {
  const { results } = await api.listGroupHealth({ search, pageSize: customersMax }, { signal });
  return results.map(targetOf);
}

function targetOf({ groupRef, groupName, installations }: GroupHealth): Target {
  const [first] = installations;
  const names = installations.map(({ integrationName }) => integrationName).join(', ');
  const more = [groupName === groupRef ? '' : groupRef, names || 'not installed'].filter(Boolean).join(' · ');
  const href = first === undefined ? hrefOf('customers', { groupRef }) : hrefOf(`customers/${first.id}`);
  return { kind: 'Customer', name: groupName, more, href };
}
