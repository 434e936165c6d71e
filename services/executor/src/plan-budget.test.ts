import { createPlanBudget } from './plan-budget';

const soon = () => performance.now() + 60_000;

// Memory of a process does not grow with what is claimed: plans are loaded only where there is room for them.
describe('the budget for plans', () => {
  it('admits what fits and lets the rest wait, in turn', async () => {
    const budget = createPlanBudget(10);
    const admitted: string[] = [];
    const first = await budget.take(6, soon());
    const big = budget.take(8, soon()).then((letGo) => (admitted.push('big'), letGo));
    const small = budget.take(1, soon()).then((letGo) => (admitted.push('small'), letGo));
    expect(budget.isShort()).toBe(true);
    await Promise.resolve();
    expect(admitted).toEqual([]);
    first?.();
    await Promise.all([big, small]);
    expect(admitted).toEqual(['big', 'small']);
    expect(budget.isShort()).toBe(false);
  });

  it('lets more than all of it go alone', async () => {
    const budget = createPlanBudget(10);
    const huge = await budget.take(1_000, soon());
    const next = budget.take(1, soon());
    expect(budget.isShort()).toBe(true);
    huge?.();
    expect(await next).toBeDefined();
  });

  it('says no to what waited too long, and then admits who stood behind it', async () => {
    const budget = createPlanBudget(10);
    const held = await budget.take(6, soon());
    const late = budget.take(8, performance.now() + 20);
    const behind = budget.take(4, soon());
    expect(await late).toBeUndefined();
    expect(await behind).toBeDefined();
    held?.();
  });

  it('takes room back once, however often it is given', async () => {
    const budget = createPlanBudget(10);
    const letGo = await budget.take(5, soon());
    await budget.take(5, soon());
    letGo?.();
    letGo?.();
    expect(await budget.take(5, soon())).toBeDefined();
    expect(await budget.take(1, performance.now())).toBeUndefined();
  });
});
