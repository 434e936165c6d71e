import { DefectError, DependencyError } from '@sluice/errors';
import { persist } from './guard';

const refused = (code: string): Error => Object.assign(new Error('refused'), { code });
const lost = (): Error => new Error('Connection terminated unexpectedly');
const contended = new DependencyError({ code: 'service.unavailable', detail: 'Taken by others.' });

/** Fails with each in turn, then answers how many tries it took. */
const failing = (...errors: readonly Error[]) => {
  let tries = 0;
  return (): Promise<number> => {
    const error = errors[tries];
    tries += 1;
    return error === undefined ? Promise.resolve(tries) : Promise.reject(error);
  };
};

describe('persist', () => {
  it.each([
    ['an answer that was lost', lost()],
    ['a deadlock', refused('40P01')],
    ['no connection', refused('ECONNREFUSED')],
    ['a connection that was closed at the other end', refused('EPIPE')],
  ])('repeats after %s', async (_case, error) => {
    expect(await persist(failing(error))).toBe(2);
  });

  it.each([
    ['a statement that took too long', refused('57014')],
    ['what others took each time', contended],
  ])('%s at the first try: nothing was stored, so it may be sent again', async (_case, error) => {
    const thrown = await persist(failing(error)).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(DependencyError);
    expect((thrown as DependencyError).meta).toEqual({});
  });

  // Sent again without a key, what that try committed would be stored twice.
  it.each([
    ['a statement that took too long', refused('57014')],
    ['what others took each time', contended],
  ])('%s after a try whose answer was lost: nobody knows, so it may not', async (_case, error) => {
    const thrown = await persist(failing(lost(), error)).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(DependencyError);
    expect((thrown as DependencyError).meta).toEqual({ retryable: false });
  });

  // Its commit came later than its repetitions gave up: one more try finds the row that is in the way.
  describe('a blocking row, after the time in which work is repeated', () => {
    const late = (...errors: readonly Error[]) => {
      const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(6_000);
      return persist(failing(...errors)).finally(() => clock.mockRestore());
    };

    it('is found by one more try', async () => {
      const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(1).mockReturnValue(6_000);
      await expect(persist(failing(lost(), refused('23505')))).resolves.toBe(3);
      clock.mockRestore();
    });

    it('again and again: nobody knows whether the write was accepted', async () => {
      const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(1).mockReturnValue(6_000);
      const thrown = await persist(failing(lost(), refused('23505'), refused('23505'))).catch(
        (reason: unknown) => reason,
      );
      expect(thrown).toMatchObject({ code: 'service.unavailable', meta: { retryable: false } });
      clock.mockRestore();
    });

    it('is a defect of ours where no answer was lost', async () => {
      await expect(late(refused('23505'))).rejects.toBeInstanceOf(DefectError);
    });
  });

  it('a value that is refused stays one, so that neighbours are tried without it', async () => {
    await expect(persist(failing(lost(), refused('22023')))).rejects.toBeInstanceOf(DefectError);
  });
});
