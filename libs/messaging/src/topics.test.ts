import { write } from './messaging-test-support';
import { topics } from './topics';

describe('topics', () => {
  it.each(Object.values(topics))(
    'keys $name as the card says, and keeps it only as long as a message is worth something',
    (topic) => {
      expect(topic.retentionMs + topic.segmentMs).toBeLessThanOrEqual(30 * 60_000);
      expect(topic.key(write('i-1', 0))).toBe('i-1/contacts/create');
    },
  );
});
