import { scopes, type Scope } from '@sluice/types';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Author } from '../../parts/author';
import { Badge } from '../../parts/badge';
import { Confirm } from '../../parts/confirm';
import { Empty } from '../../parts/empty';
import { CopyField } from '../../parts/field';
import type { FormField } from '../../parts/form';
import { FormButton } from '../../parts/form-dialog';
import { GuideLink } from '../../parts/guide-link';
import { Moment } from '../../parts/moment';
import { PageHead } from '../../parts/page-head';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Table, type Column } from '../../parts/table';
import { apiOf, isOffered, type Api, type Session } from '../../session';
import { useLoad } from '../../use-load';

interface ListedKey {
  readonly id: string;
  readonly label: string;
  readonly grants: string;
  readonly active?: boolean;
  readonly createTime?: string;
  /** Of an API key, but of an old one. */
  readonly prefix?: string;
  readonly createdBy?: string;
  readonly createdByLabel?: string;
  readonly lastUseTime?: string;
}

/** What differs between the two kinds of keys. */
interface KeyKind {
  readonly title: string;
  readonly lead: ComponentChildren;
  /** One of them, with its article. */
  readonly name: string;
  readonly grantsTitle: string;
  readonly fields: readonly FormField[];
  readonly list: (api: Api, signal: AbortSignal) => Promise<readonly ListedKey[]>;
  /** @returns what is shown of the new key, which may be shown only now */
  readonly create: (api: Api, values: Readonly<Record<string, string>>) => Promise<Parameters<typeof CopyField>[0]>;
  readonly setActive: (api: Api, keyId: string, active: boolean) => Promise<unknown>;
  readonly remove: (api: Api, keyId: string) => Promise<unknown>;
}

const label: FormField = { name: 'label', title: 'What it is for' };

/** Source: docs/rulings/access.md, API keys. */
const meanings: Readonly<Record<Scope, string>> = {
  full: 'Everything in the project, keys and secrets included.',
  frontend: 'Management except keys, changes of provider apps, and credentials. For the console and your own pages.',
  write: 'Send writes, and read their operations. For your backend.',
  search: "Search customers' records.",
  read: 'Read the project; change nothing.',
};

const kinds: readonly KeyKind[] = [
  {
    title: 'API keys',
    name: 'an API key',
    lead: (
      <>
        For your backend. Its <GuideLink of="scope">scopes</GuideLink> limit what it may do. A key itself is shown once,
        when it is made.
      </>
    ),
    grantsTitle: 'Scopes',
    fields: [
      label,
      {
        name: 'scopes',
        title: 'Scopes',
        type: 'many',
        value: '',
        choices: scopes.map((each) => [each, each, meanings[each]] as const),
      },
    ],
    list: async (api, signal) =>
      (await api.listApiKeys({}, { signal })).map((key) => ({ ...key, grants: key.scopes.join(', ') })),
    create: async (api, values) => {
      const body = { label: values['label'] ?? '', scopes: (values['scopes'] ?? '').split(',') as Scope[] };
      const { key } = await api.createApiKey({ body });
      return { title: `Key "${body.label}": keep it now, it is not shown again`, value: key };
    },
    setActive: (api, keyId, active) =>
      api.updateApiKey({ keyId, body: { updateMask: ['active'], apiKey: { active } } }),
    remove: (api, keyId) => api.deleteApiKey({ keyId }),
  },
  {
    title: 'JWT keys',
    name: 'a JWT key',
    lead: "Public keys with which bearer tokens of your customers' browsers are checked.",
    grantsTitle: 'Algorithm',
    fields: [
      label,
      { name: 'publicKeyPem', title: 'RSA public key, PEM', type: 'long', placeholder: '-----BEGIN PUBLIC KEY-----' },
    ],
    list: async (api, signal) =>
      (await api.listJwtKeys({}, { signal })).map((key) => ({ ...key, grants: key.algorithm })),
    create: async (api, values) => {
      const body = { label: values['label'] ?? '', publicKeyPem: values['publicKeyPem'] ?? '' };
      const { kid } = await api.createJwtKey({ body: { ...body, algorithm: 'RS256' } });
      return { title: 'The kid in the header of tokens', value: kid };
    },
    setActive: (api, keyId, active) =>
      api.updateJwtKey({ keyId, body: { updateMask: ['active'], jwtKey: { active } } }),
    remove: (api, keyId) => api.deleteJwtKey({ keyId }),
  },
];

/** What requests to the project are authenticated with. */
export function KeysPage({ session }: { readonly session: Session }) {
  return (
    <>
      <PageHead title="Keys" lead="What requests to the project are authenticated with." />
      {kinds.map((kind) => (
        <KeyList key={kind.title} session={session} kind={kind} />
      ))}
    </>
  );
}

function KeyList({ session, kind }: { readonly session: Session; readonly kind: KeyKind }) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error, reload } = useLoad(kind.title, (signal) => kind.list(api, signal));
  const [created, setCreated] = useState<Parameters<typeof CopyField>[0]>();
  const isChangeable = isOffered(session, 'full');
  return (
    <section class="panel">
      <div class="title">
        <h2>{kind.title}</h2>
        {isChangeable ? (
          <div class="actions">
            <FormButton
              title={`Add ${kind.name}`}
              fields={kind.fields}
              verb="Add it"
              failure="The key was not added"
              onSubmit={async (values) => {
                setCreated(await kind.create(api, values));
                reload();
              }}
            />
          </div>
        ) : null}
      </div>
      <p class="fine">{kind.lead}</p>
      <div role="status">{created === undefined ? null : <CopyField {...created} />}</div>
      {error === undefined ? null : <Problem error={error} title="The keys could not be read" />}
      {value === undefined ? (
        error === undefined ? (
          <Skeleton of="text" />
        ) : null
      ) : value.length === 0 ? (
        <Empty title="None yet" />
      ) : (
        <KeyTable api={api} kind={kind} keys={value} isChangeable={isChangeable} onDone={reload} />
      )}
    </section>
  );
}

/** Who made a key, and whether it is in use. */
const uses: readonly Column<ListedKey>[] = [
  {
    title: 'Last used',
    meaning: 'To the minute',
    width: 'middle',
    phone: 'aside',
    cell: ({ lastUseTime }) =>
      lastUseTime === undefined ? <span class="fine">not yet</span> : <Moment of={lastUseTime} />,
  },
  {
    title: 'Added',
    width: 'wide',
    phone: 'none',
    cell: ({ createTime, createdBy, createdByLabel }) => (
      <>
        <Moment of={createTime} />
        <div class="fine">
          by <Author createdBy={createdBy} createdByLabel={createdByLabel} />
        </div>
      </>
    ),
  },
];

/** `sk_…_aB3d…`: between lies the id of the project. */
const shownPrefix = (prefix: string): string => `sk_…${prefix.slice(-5)}…`;

interface TableOptions {
  readonly api: Api;
  readonly kind: KeyKind;
  readonly keys: readonly ListedKey[];
  readonly isChangeable: boolean;
  readonly onDone: () => void;
}

function KeyTable({ api, kind, keys, isChangeable, onDone }: TableOptions) {
  const [asked, setAsked] = useState<Asked>();
  const columns: readonly Column<ListedKey>[] = [
    {
      title: 'What it is for',
      phone: 'name',
      tip: ({ id }) => id,
      cell: ({ label: text, prefix }) => (
        <>
          {text}
          {prefix === undefined ? null : <div class="fine">{shownPrefix(prefix)}</div>}
        </>
      ),
    },
    {
      title: 'Status',
      width: 'middle',
      phone: 'badge',
      cell: (key) => <Badge of={key.active === false ? 'disabled' : 'enabled'} />,
    },
    { title: kind.grantsTitle, cell: ({ grants }) => grants },
    ...uses,
    {
      title: '',
      width: 'middle',
      cell: (key) =>
        isChangeable ? (
          <span class="row-actions">
            {([key.active === false ? 'Accept' : 'Refuse', 'Delete'] as const).map((verb) => (
              <button
                key={verb}
                type="button"
                class="link"
                aria-label={`${verb} ${key.label}…`}
                onClick={() => setAsked({ key, verb })}
              >
                {verb}…
              </button>
            ))}
          </span>
        ) : null,
    },
  ];
  return (
    <>
      <Table columns={columns} rows={keys} keyOf={({ id }) => id} />
      {asked === undefined ? null : (
        <Question api={api} kind={kind} asked={asked} onClose={() => setAsked(undefined)} onDone={onDone} />
      )}
    </>
  );
}

interface Asked {
  readonly key: ListedKey;
  readonly verb: 'Accept' | 'Refuse' | 'Delete';
}

interface QuestionOptions extends Pick<TableOptions, 'api' | 'kind' | 'onDone'> {
  readonly asked: Asked;
  readonly onClose: () => void;
}

function Question({ api, kind, asked: { key, verb }, onClose, onDone }: QuestionOptions) {
  return (
    <Confirm
      title={`${verb} "${key.label}"?`}
      verb={`${verb} it`}
      isDangerous={verb !== 'Accept'}
      onClose={onClose}
      onConfirm={async () => {
        if (verb === 'Delete') await kind.remove(api, key.id);
        else await kind.setActive(api, key.id, verb === 'Accept');
        onClose();
        onDone();
      }}
    >
      <p>
        {verb === 'Accept'
          ? 'Requests with it are accepted again within a second.'
          : 'Requests with it are refused within a second, also those of this page if you signed in with it.'}
      </p>
    </Confirm>
  );
}
