import { HubPartition } from './in-process-messaging';

describe('HubPartition', () => {
  it('gives each message the next offset and reads from any of them', () => {
    const partition = new HubPartition();
    for (const value of ['a', 'b', 'c']) partition.append(value);
    expect(partition.read(1, 10)).toEqual([
      { offset: '1', value: 'b' },
      { offset: '2', value: 'c' },
    ]);
    expect(partition.end).toBe(3);
  });

  it('drops what was finished without moving the offsets', () => {
    const partition = new HubPartition();
    for (let index = 0; index < 600; index += 1) partition.append(String(index));
    partition.trim(500);
    expect(partition.start).toBe(500);
    expect(partition.read(500, 1)).toEqual([{ offset: '500', value: '500' }]);
  });

  it('drops the oldest without a reader, so that memory stays bounded', () => {
    const partition = new HubPartition();
    const large = 'x'.repeat(500_000);
    for (let index = 0; index < 10; index += 1) partition.append(large);
    expect(partition.end).toBe(10);
    expect(partition.start).toBe(6);
    expect(partition.read(0, 100)).toHaveLength(4);
  });
});
