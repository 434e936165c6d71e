import { write } from './messaging-test-support';
import { partitionKey, topics } from './topics';

describe('topics', () => {
  it('keys by installation, object and type, as the card says', () => {
    expect(partitionKey(write('i-1', 0))).toBe('i-1/contacts/create');
  });

  it.each(Object.values(topics))('keeps $name only as long as a message is worth something', (topic) => {
    expect(topic.retentionMs + topic.segmentMs).toBeLessThanOrEqual(30 * 60_000);
    expect(topic.key(write('i-1', 0))).toBe('i-1/contacts/create');
  });
});
