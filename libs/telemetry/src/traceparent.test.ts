import { childTraceparent, newTraceparent } from './traceparent';

const form = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;
const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';

describe('newTraceparent', () => {
  it('has the W3C form and is new each time', () => {
    expect(newTraceparent()).toMatch(form);
    expect(newTraceparent()).not.toBe(newTraceparent());
  });
});

describe('childTraceparent', () => {
  it('keeps trace id and flags and takes a new span id', () => {
    const child = childTraceparent(parent);
    expect(child).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/);
    expect(child).not.toBe(parent);
  });

  it('reads a later version by its first four fields', () => {
    expect(childTraceparent(`cc${parent.slice(2)}-what-ever`)).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-/);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff${parent.slice(2)}`,
    `${parent}-more`,
    parent.toUpperCase(),
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  ])('starts a new trace for %p', (invalid) => {
    const child = childTraceparent(invalid);
    expect(child).toMatch(form);
    expect(child).not.toContain('4bf92f3577b34da6a3ce929d0e0e4736');
  });
});
