import { write } from '../test/support';
import { decodeMessage, encodeMessage, topics } from './topics';

describe('topics', () => {
  it.each(Object.values(topics))(
    'keys $name as the card says, and keeps it only as long as a message is worth something',
    (topic) => {
      expect(topic.retentionMs + topic.segmentMs).toBeLessThanOrEqual(30 * 60_000);
      expect(topic.key(write('i-1', 0))).toBe('i-1/contacts/create');
    },
  );
});

describe('write codec', () => {
  it('reads what it wrote', () => {
    const writes = [write('a', 0), write('a', 1, { callNumber: 3, objectName: 'Kunden "Ä"' })];
    const value = Buffer.from(encodeMessage(writes.map((announced) => JSON.stringify(announced))));
    expect(decodeMessage(value)).toEqual({ writes });
  });

  it.each([
    ['nothing', null, 'the value is empty'],
    ['no JSON', '{"writes":', 'the value is not a JSON object'],
    ['another type', '[1]', 'the value is not a JSON object'],
    ['no writes', '{"write":{}}', 'writes is not an array'],
    ['a write that is none', '{"writes":[null]}', 'writes[0].projectId is not a string'],
    [
      'a damaged write',
      JSON.stringify({ writes: [write('a', 0), { ...write('a', 1), laneId: 5 }] }),
      'writes[1].laneId is not a string',
    ],
  ])('says what is wrong with %s', (_, value, problem) => {
    expect(decodeMessage(value)).toEqual({ problem });
  });
});
