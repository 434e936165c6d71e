import { eventually } from '../../test/support';
import { beatDuring } from './consumer-session';

describe('beatDuring', () => {
  it('beats while the work goes on, and not after', async () => {
    let beats = 0;
    const heartbeat = async () => void (beats += 1);
    await beatDuring(heartbeat, () => eventually(() => beats >= 3), 1);
    const after = beats;
    await new Promise((resolve) => setImmediate(resolve));
    expect(beats).toBe(after);
  });

  it('aborts the work on a refusal, lets it end, then rejects with the refusal', async () => {
    let ended = false;
    const refused = new Error('The group is rebalancing');
    const work = async (isBeating: () => boolean) => {
      await eventually(() => !isBeating());
      ended = true;
    };
    await expect(beatDuring(() => Promise.reject(refused), work, 1)).rejects.toBe(refused);
    expect(ended).toBe(true);
  });

  it('rejects as the work does', async () => {
    const failed = new Error('failed');
    await expect(
      beatDuring(
        async () => undefined,
        () => Promise.reject(failed),
        1,
      ),
    ).rejects.toBe(failed);
  });
});
