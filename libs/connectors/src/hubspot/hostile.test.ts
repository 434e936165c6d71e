import * as fc from 'fast-check';
import { captureHubspot } from '../../test/captured-calls';
import { hostileText } from '../../test/hostile-texts';

const auth = { accessToken: 'pat-na1-test' };
const { connector, taken } = captureHubspot(({ path }) =>
  path.endsWith('/search') ? { total: 0, results: [] } : { id: '1', properties: {} },
);
/** What a provider reads of a body that was sent as JSON. */
const received = (body: unknown): unknown => JSON.parse(Buffer.from(JSON.stringify(body)).toString());

// At least 10,000 filters. Names and values of a search stand in JSON members of their own, so nothing in them can become a filter, a group or an operator.
test('[sec-25] the search of any names and values reads back as the same filters', async () => {
  const filters = fc.array(
    fc.record({ field: hostileText, value: fc.oneof(hostileText, fc.integer(), fc.boolean()) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  let found = 0;
  await fc.assert(
    fc.asyncProperty(filters, fc.array(hostileText, { maxLength: 3 }), async (asked, fields) => {
      await connector.search({ auth, objectName: 'contacts', filters: asked, fields, limit: 500 });
      const [request, ...more] = taken();
      found += asked.length;
      expect([request?.path, more]).toEqual(['/crm/v3/objects/contacts/search', []]);
      expect(received(request?.body)).toEqual({
        filterGroups: [
          { filters: asked.map(({ field, value }) => ({ propertyName: field, operator: 'EQ', value: String(value) })) },
        ],
        properties: fields,
        limit: 200,
      });
    }),
    { numRuns: 4_000 },
  );
  expect(found).toBeGreaterThan(10_000);
});

test('[sec-26] properties of a write are the properties that arrive, whatever they are called', async () => {
  const fields = fc.dictionary(hostileText, hostileText, { maxKeys: 5 });
  await fc.assert(
    fc.asyncProperty(fields, async (sent) => {
      await connector.create({ auth, objectName: 'contacts', fields: sent });
      expect(received(taken()[0]?.body)).toEqual({ properties: { ...sent } });
    }),
    { numRuns: 2_000 },
  );
});

test('[sec-26] [sec-27] no object name and no record id adds a segment to a path', async () => {
  const form = /^[\w-]+$/;
  const names = fc.oneof(hostileText, fc.constantFrom('contacts', '0-1', 'p1_my_object', '171590000001'));
  await fc.assert(
    fc.asyncProperty(names, names, async (objectName, recordId) => {
      await connector.update({ auth, objectName, recordId, fields: { firstname: 'x' } });
      await connector.delete({ auth, objectName, recordId });
      const path = `/crm/v3/objects/${objectName}/${recordId}`;
      const isFine = form.test(objectName) && form.test(recordId);
      expect(taken().map((each) => each.path)).toEqual(isFine ? [path, path] : []);
    }),
    { numRuns: 2_000 },
  );
});
