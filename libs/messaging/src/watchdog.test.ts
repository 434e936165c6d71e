import { ProgressWatch } from './watchdog';

const at = (partition: number, lag: number, mark: string) => ({ partition, lag, mark });

describe('ProgressWatch', () => {
  it('reports a partition that has messages and made no progress for the whole time', () => {
    const watch = new ProgressWatch(30_000);
    expect(watch.observe(0, [at(1, 5, 'a')])).toEqual([]);
    expect(watch.observe(29_999, [at(1, 9, 'a')])).toEqual([]);
    expect(watch.observe(30_000, [at(1, 9, 'a')])).toEqual([1]);
  });

  it('reports it again only after another whole time', () => {
    const watch = new ProgressWatch(30_000);
    watch.observe(0, [at(1, 5, 'a')]);
    watch.observe(30_000, [at(1, 5, 'a')]);
    expect(watch.observe(35_000, [at(1, 5, 'a')])).toEqual([]);
    expect(watch.observe(60_000, [at(1, 5, 'a')])).toEqual([1]);
  });

  it('is quiet for a partition that moves, however far behind it is', () => {
    const watch = new ProgressWatch(30_000);
    watch.observe(0, [at(1, 5_000, 'a')]);
    expect(watch.observe(30_000, [at(1, 9_000, 'b')])).toEqual([]);
    expect(watch.observe(60_000, [at(1, 9_000, 'c')])).toEqual([]);
  });

  it('does not count idle time before the first message', () => {
    const watch = new ProgressWatch(30_000);
    watch.observe(0, [at(1, 0, 'a')]);
    watch.observe(100_000, [at(1, 0, 'a')]);
    expect(watch.observe(105_000, [at(1, 1, 'a')])).toEqual([]);
    expect(watch.observe(135_000, [at(1, 1, 'a')])).toEqual([1]);
  });

  it('starts over for a partition that was given up, and when the lag was not known', () => {
    const watch = new ProgressWatch(30_000);
    watch.observe(0, [at(1, 5, 'a'), at(2, 5, 'a')]);
    watch.observe(20_000, [at(2, 5, 'a')]);
    expect(watch.observe(31_000, [at(1, 5, 'a'), at(2, 5, 'a')])).toEqual([2]);
    watch.forget();
    expect(watch.observe(90_000, [at(1, 5, 'a'), at(2, 5, 'a')])).toEqual([]);
  });
});
