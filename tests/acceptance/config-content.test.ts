import type { Installation } from '@sluice/types';
import { createAccount, type Account } from '../harness/account';
import type { Reply } from '../harness/api';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';

const stack = sharedStack();
let project: Project;
let account: Account;
let integrationId: string;
beforeAll(async () => {
  project = await createProject(stack);
  account = await createAccount(stack, 'hubspot');
  const objects = [{ objectName: 'contacts' }];
  const { body } = await project.deploy([{ name: 'crm', provider: 'hubspot', read: { objects }, write: { objects } }]);
  integrationId = body[0]?.id ?? '';
});

let groups = 0;

/** Installs this content for a new group. */
async function install(content: object): Promise<Reply<Installation>> {
  const groupRef = `group-${(groups += 1)}`;
  const { id: connectionId } = await project.connect(account, groupRef);
  return project.install(integrationId, { groupRef, connectionId, config: { content } });
}

const read = (more: object) => ({
  provider: 'hubspot',
  read: { objects: { contacts: { objectName: 'contacts', ...more } } },
});
const write = (more: object) => ({
  provider: 'hubspot',
  write: { objects: { contacts: { objectName: 'contacts', ...more } } },
});
const settings = (field: object) => write({ selectedFieldSettings: { jobtitle: field } });
const byDefault = (value: object) => settings({ default: value });
const backfill = (more: object) => read({ backfill: more });
const filter = (more: object) =>
  read({ fieldFilters: [{ fieldName: 'city', operator: 'eq', value: 'Bern', ...more }] });
const days = (count: unknown) => backfill({ defaultPeriod: { days: count } });
const dynamic = (more: object) => read({ dynamicMappingsInput: [{ mapToName: 'rank', ...more }] });

const taken: [rule: string, content: object][] = [
  ['[config-content.provider]', { provider: 'hubspot' }],
  ['[config-content.proxy]', { provider: 'hubspot', proxy: { enabled: true } }],
  ['[read-config.schedule]', read({ schedule: '*/10 * * * *' })],
  ['[read-config.disabled]', read({ disabled: true })],
  ['[read-config.disabled]', read({ disabled: false })],
  ['[read-config.destination]', read({ destination: 'webhook' })],
  ['[read-config.selected-fields]', read({ selectedFields: { email: true, phone: false } })],
  ['[read-config.selected-fields-auto]', read({ selectedFieldsAuto: 'all' })],
  ['[read-config.selected-field-mappings]', read({ selectedFieldMappings: { mail: 'email' } })],
  ['[read-config.selected-value-mappings]', read({ selectedValueMappings: { lifecyclestage: { won: 'customer' } } })],
  [
    '[read-config.dynamic-mappings]',
    dynamic({ mapToDisplayName: 'Rank', prompt: 'Which?', fieldName: 'loyalty_tier' }),
  ],
  ['[read-config.dynamic-mapped-values]', dynamic({ mappedValues: [{ mappedValue: 'a', mappedDisplayValue: 'A' }] })],
  ['[read-config.backfill-days]', days(0)],
  ['[read-config.backfill-days]', days(30)],
  ['[read-config.backfill-one-of]', backfill({ defaultPeriod: { fullHistory: true } })],
  [
    '[read-config.backfill-filters]',
    backfill({ defaultPeriod: { days: 1 }, fieldFilters: [{ fieldName: 'city', operator: 'eq', value: 'Bern' }] }),
  ],
  ['[read-filter.value]', filter({ value: 'Bern' })],
  ['[read-filter.value]', filter({ value: true })],
  ['[read-filter.value]', filter({ value: 7.5 })],
  [
    '[read-config.filters-one-per-field]',
    read({
      fieldFilters: [
        { fieldName: 'city', operator: 'eq', value: 'Bern' },
        { fieldName: 'country', operator: 'eq', value: 'CH' },
      ],
    }),
  ],
  ['[write-config.object-name]', write({})],
  ['[write-config.deletion-settings]', write({ deletionSettings: { enabled: false } })],
  ['[write-config.default-string]', byDefault({ stringValue: '' })],
  ['[write-config.default-integer]', byDefault({ integerValue: 0 })],
  ['[write-config.default-boolean]', byDefault({ booleanValue: false })],
  ['[write-config.write-on-create]', settings({ writeOnCreate: 'always' })],
  ['[write-config.write-on-create]', settings({ writeOnCreate: 'never' })],
  ['[write-config.write-on-update]', settings({ writeOnUpdate: 'always' })],
  ['[write-config.write-on-update]', settings({ writeOnUpdate: 'never' })],
  ['[write-config.write-on-update]', settings({ writeOnUpdate: 'ifEmpty' })],
  ['[write-config.inherit-mapping]', write({ inheritMapping: true })],
  [
    '[write-config.value-defaults]',
    write({ selectedValueDefaults: { a: { value: 'x' }, b: { value: 1 }, c: { value: true } } }),
  ],
  [
    '[write-config.value-defaults-on-update]',
    write({ selectedValueDefaults: { a: { value: 1, applyOnUpdate: 'never' } } }),
  ],
];

/** Published clients refuse a read object without its two selections, so replies always have them, empty. */
function returned(content: object): object {
  const { objects } = (content as { read?: { objects?: Record<string, object> } }).read ?? {};
  if (objects === undefined) return content;
  const withSelections = Object.entries(objects).map(([name, object]) => [
    name,
    { selectedFields: {}, selectedFieldMappings: {}, ...object },
  ]);
  return { ...content, read: { objects: Object.fromEntries(withSelections) as object } };
}

it.each(taken)('%s %j is taken and returned', async (_rule, content) => {
  const reply = await install(content);
  expect(reply.status).toBe(201);
  expect(reply.body.config.content).toEqual(returned(content));
});

const refused: [rule: string, content: object, name: string][] = [
  ['[config-content.provider]', { read: {} }, 'provider'],
  ['[config-content.provider]', { provider: 'salesforce' }, 'provider'],
  ['[config-content.proxy]', { provider: 'hubspot', proxy: { enabled: 'yes' } }, 'proxy.enabled'],
  ['[read-config.object-name]', { provider: 'hubspot', read: { objects: { contacts: {} } } }, 'objectName'],
  ['[read-config.schedule]', read({ schedule: 'every day' }), 'schedule'],
  ['[read-config.schedule]', read({ schedule: '61 * * * *' }), 'schedule'],
  ['[read-config.disabled]', read({ disabled: 'no' }), 'disabled'],
  ['[read-config.destination]', read({ destination: 7 }), 'destination'],
  ['[read-config.selected-fields]', read({ selectedFields: { email: 'yes' } }), 'selectedFields.email'],
  ['[read-config.selected-fields-auto]', read({ selectedFieldsAuto: 'some' }), 'selectedFieldsAuto'],
  ['[read-config.selected-field-mappings]', read({ selectedFieldMappings: { mail: 7 } }), 'selectedFieldMappings.mail'],
  ['[read-config.selected-value-mappings]', read({ selectedValueMappings: { stage: 'won' } }), 'selectedValueMappings'],
  ['[read-config.dynamic-mappings]', read({ dynamicMappingsInput: [{ fieldName: 'city' }] }), 'mapToName'],
  ['[read-config.dynamic-mapped-values]', dynamic({ mappedValues: [{ mappedValue: 'a' }] }), 'mappedDisplayValue'],
  ['[read-config.dynamic-mapped-values]', dynamic({ mappedValues: [{ mappedDisplayValue: 'A' }] }), 'mappedValue'],
  [
    '[read-config.dynamic-mapped-values]',
    dynamic({ mappedValues: [{ mappedValue: 1, mappedDisplayValue: 'A' }] }),
    'mappedValue',
  ],
  ['[read-config.backfill-default-period]', backfill({}), 'defaultPeriod'],
  ['[read-config.backfill-days]', days(-1), 'days'],
  ['[read-config.backfill-days]', days(1.5), 'days'],
  ['[read-config.backfill-one-of]', backfill({ defaultPeriod: {} }), 'defaultPeriod'],
  ['[read-config.backfill-one-of]', backfill({ defaultPeriod: { fullHistory: 'yes' } }), 'fullHistory'],
  ['[read-config.backfill-filters]', backfill({ defaultPeriod: { days: 1 }, fieldFilters: [{}] }), 'fieldFilters'],
  [
    '[read-config.filters-one-per-field]',
    read({
      fieldFilters: [
        { fieldName: 'city', operator: 'eq', value: 'Bern' },
        { fieldName: 'city', operator: 'eq', value: 'Basel' },
      ],
    }),
    'fieldFilters[1]',
  ],
  ['[read-filter.required]', filter({ fieldName: undefined }), 'fieldName'],
  ['[read-filter.required]', filter({ operator: undefined }), 'operator'],
  ['[read-filter.required]', filter({ value: undefined }), 'value'],
  ['[read-filter.operator]', filter({ operator: 'gt' }), 'operator'],
  ['[read-filter.value]', filter({ value: ['Bern'] }), 'value'],
  ['[write-config.object-name]', { provider: 'hubspot', write: { objects: { contacts: {} } } }, 'objectName'],
  ['[write-config.deletion-settings]', write({ deletionSettings: {} }), 'enabled'],
  ['[write-config.deletion-settings]', write({ deletionSettings: { enabled: 'true' } }), 'enabled'],
  ['[write-config.default-one-of]', byDefault({}), 'default'],
  ['[write-config.default-one-of]', byDefault({ stringValue: 'a', integerValue: 1 }), 'default'],
  ['[write-config.default-string]', byDefault({ stringValue: 7 }), 'stringValue'],
  ['[write-config.default-integer]', byDefault({ integerValue: 1.5 }), 'integerValue'],
  ['[write-config.default-integer]', byDefault({ integerValue: '1' }), 'integerValue'],
  ['[write-config.default-boolean]', byDefault({ booleanValue: 'true' }), 'booleanValue'],
  ['[write-config.write-on-create]', settings({ writeOnCreate: 'ifEmpty' }), 'writeOnCreate'],
  ['[write-config.write-on-update]', settings({ writeOnUpdate: 'sometimes' }), 'writeOnUpdate'],
  ['[write-config.inherit-mapping]', write({ inheritMapping: 'yes' }), 'inheritMapping'],
  ['[write-config.value-defaults]', write({ selectedValueDefaults: { a: { value: 1.5 } } }), 'value'],
  ['[write-config.value-defaults]', write({ selectedValueDefaults: { a: {} } }), 'value'],
  [
    '[write-config.value-defaults-on-update]',
    write({ selectedValueDefaults: { a: { value: 1, applyOnUpdate: 'ifEmpty' } } }),
    'applyOnUpdate',
  ],
];

it.each(refused)('%s %j is refused, naming %s', async (_rule, content, name) => {
  const reply = await install(content);
  expect([400, 422]).toContain(reply.status);
  const { issues } = reply.body as unknown as { issues: { name: string }[] };
  expect(issues.map((issue) => issue.name).join(' ')).toContain(name);
});
