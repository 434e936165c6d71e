import { callTransitions, operationTransitions, statusOf, type Transition } from './operation';

/** States that a chain of transitions reaches from nothing. */
function reachable<State>(transitions: readonly Transition<State>[]): Set<State> {
  const reached = new Set<State | undefined>([undefined]);
  for (let before = 0; before < reached.size;) {
    before = reached.size;
    for (const { from, to } of transitions) if (reached.has(from)) reached.add(to);
  }
  reached.delete(undefined);
  return reached as Set<State>;
}

const outOf = <State>(transitions: readonly Transition<State>[], state: State) => [
  ...new Set(transitions.filter(({ from }) => from === state).map(({ to }) => to)),
];

describe('operations', () => {
  it('reach every state, and end in two', () => {
    expect([...reachable(operationTransitions)].sort()).toEqual(['accumulating', 'failed', 'queued', 'succeeded']);
    // Opened again by the one whose record a create of it had adopted.
    expect(operationTransitions.filter(({ from }) => from === 'succeeded')).toEqual([
      { from: 'succeeded', to: 'queued', owner: 'late-reply' },
    ]);
    expect(outOf(operationTransitions, 'failed')).toEqual([]);
    expect(outOf(operationTransitions, 'accumulating')).toEqual(['queued']);
    expect(outOf(operationTransitions, 'queued')).toEqual(['succeeded', 'failed']);
  });

  it.each([
    ['accumulating', 'in_progress'],
    ['queued', 'in_progress'],
    ['succeeded', 'success'],
    ['failed', 'failure'],
  ] as const)('%s is shown as %s', (state, status) => expect(statusOf(state)).toBe(status));

  it('are opened by the gateway, again by management, sealed by the batcher, ended by who holds the lease or with their installation', () => {
    const owners = operationTransitions.map(({ owner }) => owner);
    expect(owners.filter((owner) => owner !== 'deletion' && owner !== 'late-reply')).toEqual([
      'write-gateway',
      'write-gateway',
      'management',
      'batcher',
      'lease-holder',
      'lease-holder',
    ]);
  });
});

describe('calls', () => {
  it('reach every state, and end in two', () => {
    const states = ['done', 'in_doubt', 'quarantined', 'ready', 'running', 'waiting'];
    expect([...reachable(callTransitions)].sort()).toEqual(states);
    expect(callTransitions.filter(({ from }) => from === 'done')).toEqual([
      { from: 'done', to: 'in_doubt', owner: 'late-reply' },
    ]);
    expect(outOf(callTransitions, 'quarantined')).toEqual([]);
  });

  it('end only while somebody holds the lease, or unsent with their installation', () => {
    const ends = callTransitions.filter(({ to }) => to === 'done' || to === 'quarantined');
    expect(ends.map(({ from, owner }) => [from, owner])).toEqual([
      ['running', 'lease-holder'],
      ['running', 'lease-holder'],
      ['ready', 'deletion'],
      ['waiting', 'deletion'],
    ]);
  });

  it('are opened by the gateway, the batcher, or who splits a call of his', () => {
    const opened = callTransitions.filter(({ from }) => from === undefined);
    expect(opened.map(({ to, owner }) => [to, owner])).toEqual([
      ['ready', 'write-gateway'],
      ['running', 'write-gateway'],
      ['ready', 'management'],
      ['ready', 'batcher'],
      ['waiting', 'lease-holder'],
      ['ready', 'lease-holder'],
    ]);
  });

  // A late success puts a call back into doubt: it is never trusted without a lookup.
  it.each([
    ['lapse-sweep', ['ready', 'in_doubt'], ['running']],
    ['order-sweep', ['ready'], ['waiting']],
    ['late-reply', ['in_doubt'], ['ready', 'waiting', 'running', 'done']],
  ] as const)('move by the %s only to %j', (owner, to, from) => {
    const moved = callTransitions.filter((transition) => transition.owner === owner);
    expect([...new Set(moved.map((each) => each.to))]).toEqual(to);
    expect([...new Set(moved.map((each) => each.from))]).toEqual(from);
  });
});
