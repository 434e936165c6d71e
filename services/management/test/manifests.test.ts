import { useManagement, type ProjectWithKey } from './start-management';

const lists = 'GET /v1/providers lists all';

const management = useManagement();
let project: ProjectWithKey;
beforeAll(async () => {
  project = await management.newProject();
});

const deploy = (sourceYaml: string) =>
  management.as(project.key).put(`/v1/projects/${project.id}/integrations:batch`).send({ sourceYaml });
const refused = async (text: string, status = 400) => {
  const before = await management.countRows();
  const reply = await deploy(text).expect(status);
  expect(reply.type).toBe('application/problem+json');
  expect(await management.countRows()).toEqual(before);
  return (reply.body as { issues: { name: string; detail: string }[] }).issues.map(({ name, detail }) => [
    name,
    detail,
  ]);
};
const lines = (...text: string[]) => ['specVersion: 1.0.0', 'integrations:', ...text].join('\n');

describe('400 with line and column', () => {
  it.each([
    [
      'an unknown field, with the nearest one',
      lines('  - name: crm', '    provider: hubspot', '    reads: {}'),
      'integrations[0].reads',
      'is not a known field; did you mean read? (line 5, column 5)',
    ],
    [
      'a value of another type, at its member',
      lines('  - name: crm', '    provider: 7'),
      'integrations[0].provider',
      'must be a string (line 4, column 5)',
    ],
    [
      'a missing member, at what lacks it',
      lines('  - name: a', '    provider: hubspot', '  - name: b'),
      'integrations[1].provider',
      'is required (line 5, column 5)',
    ],
    [
      'a rule between fields',
      lines('  - name: a', '    provider: hubspot', '  - name: a', '    provider: hubspot'),
      'integrations[1].name',
      'repeats a (line 5, column 5)',
    ],
    [
      'a name twice in one mapping',
      lines('  - name: a', '    name: b', '    provider: hubspot'),
      'sourceYaml',
      'is not readable as YAML or JSON: a name occurs twice in the same mapping (line 4, column 5)',
    ],
    [
      'half a surrogate pair as an escape',
      lines(String.raw`  - name: "crm\udfff"`, '    provider: hubspot'),
      'sourceYaml',
      'is not readable as YAML or JSON: a text or a name is not valid Unicode (a lone surrogate) (line 3, column 11)',
    ],
    [
      'a tab that indents',
      'specVersion: 1.0.0\nintegrations:\n\t- name: a',
      'sourceYaml',
      expect.stringMatching(/Tabs are not allowed as indentation \(line 3, column 1\)/),
    ],
    [
      'a schedule that is none, behind an anchor',
      lines('  - name: crm', '    provider: hubspot', '    read: &r {objects: [{objectName: a, schedule: daily}]}'),
      'integrations[0].read.objects[0].schedule',
      'must be cron syntax of five fields (line 5, column 41)',
    ],
    [
      'JSON text',
      '{"specVersion": "1.0.0",\n "integrations": [{"name": "a b", "provider": "hubspot"}]}',
      'integrations[0].name',
      expect.stringMatching(/must match the pattern .* \(line 2, column 20\)/),
    ],
    [
      'a path that is no JSONPath in brackets',
      lines(
        '  - name: a',
        '    provider: hubspot',
        "    read: {objects: [{objectName: a, requiredFields: [{fieldName: '$.a.b'}]}]}",
      ),
      'integrations[0].read.objects[0].requiredFields[0].fieldName',
      expect.stringContaining("must be JSONPath in brackets, such as $['address']['city'] (line 5, "),
    ],
    [
      'a path into an object, at a provider without any',
      lines(
        '  - name: a',
        '    provider: hubspot',
        `    read: {objects: [{objectName: a, optionalFields: [{fieldName: x}, {fieldName: "$['a']['b']"}]}]}`,
      ),
      'integrations[0].read.objects[0].optionalFields[1].fieldName',
      expect.stringMatching(/HubSpot has none in a record: give the name of the property alone \(line 5, /),
    ],
    [
      'a path that no field of Salesforce has',
      lines(
        '  - name: a',
        '    provider: salesforce',
        `    read: {objects: [{objectName: a, requiredFields: [{mapToName: x, default: "$['a b']['c']"}]}]}`,
      ),
      'integrations[0].read.objects[0].requiredFields[0].default',
      expect.stringMatching(/^leads to no field: .* \(line 5, /),
    ],
    ['a second document', 'a: 1\n---\nb: 2', 'sourceYaml', expect.stringContaining('multiple documents')],
    ['an unknown tag', 'specVersion: !secret 1.0.0', 'sourceYaml', expect.stringContaining('(line 1, column 14)')],
  ])('of %s', async (_case, text, name, detail) => {
    expect(await refused(text)).toContainEqual([name, detail]);
  });

  it('of all problems at once: of form, of rules, of fields and of providers', async () => {
    const text = lines(
      '  - name: a',
      '    provider: hubspit',
      '    write: {objects: [{objectname: x}]}',
      '  - name: b',
      '    provider: hubspot',
      '    read: {objects: [{objectName: x, schedule: daily}]}',
      '  - name: c',
      '    provider: hubspot',
      `    read: {objects: [{objectName: x, optionalFields: [{fieldName: "$['a']['b']"}]}]}`,
      '  - {name: d, provider: 7}',
    );
    expect(await refused(text)).toEqual([
      ['integrations[0].write.objects[0].objectName', expect.stringContaining('(line 5, ')],
      ['integrations[0].write.objects[0].objectname', expect.stringContaining('(line 5, ')],
      ['integrations[3].provider', expect.stringContaining('(line 12, ')],
      ['integrations[1].read.objects[0].schedule', expect.stringContaining('(line 8, ')],
      ['integrations[2].read.objects[0].optionalFields[0].fieldName', expect.stringContaining('(line 11, ')],
      ['integrations[0].provider', expect.stringMatching(/^is not known; the nearest are .*\(line 4, column 5\)$/)],
    ]);
  });

  it('of a field and a provider, where the form is right', async () => {
    const text = lines(
      '  - name: a',
      '    provider: hubspot',
      `    read: {objects: [{objectName: x, optionalFields: [{fieldName: "$['a']['b']"}]}]}`,
      '  - {name: b, provider: x}',
    );
    expect((await refused(text)).map(([name]) => name)).toEqual([
      'integrations[0].read.objects[0].optionalFields[0].fieldName',
      'integrations[1].provider',
    ]);
  });

  it('of every provider that is not known, 422', async () => {
    const text = lines(
      '  - {name: a, provider: hubspit}',
      '  - {name: b, provider: hubspot}',
      '  - {name: c, provider: x}',
    );
    expect(await refused(text, 422)).toEqual([
      [
        'integrations[0].provider',
        `is not known; the nearest are hubspot, blueshift, gusto; ${lists} (line 3, column 15)`,
      ],
      ['integrations[2].provider', expect.stringContaining(`; ${lists} (line 5, column 15)`)],
    ]);
  });
});

// Each of these takes the parser minutes, or the process its stack, when it is read as it is.
describe('[sec-32] 400 within a second for texts made to be slow', () => {
  const many = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index));
  it.each([
    ['brackets', '['.repeat(400_000), 'nests too deep'],
    ['braces', '{'.repeat(400_000), 'nests too deep'],
    ['dashes', '- '.repeat(200_000), 'nests too deep'],
    ['question marks', '? '.repeat(200_000), 'nests too deep'],
    ['indentation', many(800, (index) => `${' '.repeat(index)}-`).join('\n'), 'nests too deep'],
    ['names of one mapping', many(60_000, (index) => `k${index}: 1`).join('\n'), 'more than 100 names'],
    ['names of one flow mapping', `{${many(60_000, (index) => `k${index}: 1`).join(',')}}`, 'more than 100 names'],
    ['words', `a: [${many(200_000, () => 'x').join(',')}]`, 'words and signs'],
    ['aliases', `a: &a x\nb: [${many(200_000, () => '*a').join(',')}]`, 'repeats its anchors'],
    ['an anchor in itself', 'a: &a [*a]', 'contain themselves'],
    [
      'anchors of anchors',
      [
        'a: &a [x,x,x]',
        ...many(
          12,
          (at) =>
            `${'bcdefghijklm'[at]}: &${'bcdefghijklm'[at]} [${many(8, () => `*${'abcdefghijklm'[at]}`).join(',')}]`,
        ),
      ].join('\n'),
      'anchors',
    ],
    [
      'a long anchor',
      `a: &a "${'x'.repeat(100_000)}"\nb: [${many(90, () => '*a').join(',')}]`,
      'anchors make more than',
    ],
    ['line ends', '\n'.repeat(400_000), 'words and signs'],
    ['comments', '#\n'.repeat(200_000), 'words and signs'],
    ['directives', '%a\n'.repeat(200_000), 'words and signs'],
    ['documents', '---\n'.repeat(200_000), 'words and signs'],
  ])('%s', async (_case, text, reason) => {
    const startedAt = performance.now();
    const [issue] = await refused(text);
    expect(issue).toEqual(['sourceYaml', expect.stringContaining(reason)]);
    // No machine is as slow as that; without the checks it is minutes.
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});

describe('200 with a warning of what the provider lacks', () => {
  const entry = (provider: string, ...objects: readonly string[]) => {
    const list = objects.map((objectName) => ({ objectName }));
    return { name: `lacks-${provider}`, provider, read: { objects: list }, write: { objects: list } };
  };
  const warningsOf = async (...integrations: readonly object[]) => {
    const body = { sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }) };
    const preview = management.as(project.key).post(`/v1/projects/${project.id}/integrations:preview`).send(body);
    return [await deploy(body.sourceYaml).expect(200), await preview.expect(200)].map(
      ({ headers }) => (headers as Record<string, string>)['sluice-warning'],
    );
  };

  it('names objects that the file of the provider does not have', async () => {
    const warning =
      'lacks-close: close has no write.objects.Contact, read.objects.Contact: refused there; it has lead, contact, opportunity';
    expect(await warningsOf(entry('close', 'contact', 'Contact'))).toEqual([warning, warning]);
    expect(await warningsOf(entry('close', 'contact'))).toEqual([undefined, undefined]);
  });

  // Their accounts have objects of their own.
  it.each(['hubspot', 'salesforce', 'zoho'])('says nothing of %s', async (provider) => {
    expect(await warningsOf(entry(provider, 'anything'))).toEqual([undefined, undefined]);
  });
});

describe('200 PUT integrations:batch', () => {
  it('keeps and returns what is stored only', async () => {
    const text = `
specVersion: 1.0.0
integrations:
  - name: stored
    provider: salesforce
    module: crm
    read:
      objects:
        - objectName: Contact
          delivery: {mode: onRequest, pageSize: 100}
          backfill: {defaultPeriod: {fullHistory: true}}
          requiredFields:
            - fieldName: $['MailingAddress']['City']
              mapToName: city
    write: {objects: [{objectName: Contact, valueDefaults: {allowAnyFields: true}}]}
    subscribe:
      objects:
        - objectName: Contact
          destination: hook
          inheritFieldsAndMapping: true
          updateEvent: {enabled: always, watchFieldsAuto: all, requiredWatchFields: [Email]}
          otherEvents: [undelete]
    watchSchema: {destination: hook, schedule: "0 1 * * *", allObjects: {objectDeleted: {enabled: always}}}
`;
    const reply = await deploy(text).expect(200);
    expect(reply.body).toMatchObject([
      {
        latestRevision: {
          content: {
            module: 'crm',
            read: { objects: [{ delivery: { mode: 'onRequest', pageSize: 100 } }] },
            write: { objects: [{ valueDefaults: { allowAnyFields: true } }] },
            subscribe: { objects: [{ updateEvent: { requiredWatchFields: ['Email'] }, otherEvents: ['undelete'] }] },
            watchSchema: { allObjects: { objectDeleted: { enabled: 'always' } } },
          },
        },
      },
    ]);
  });
});
