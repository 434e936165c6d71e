const { createHash } = require('node:crypto');
const { default: Sequencer } = require('@jest/test-sequencer');
const { begunFirst } = require('../tiers');

/**
 * The order of the suites, another one each time, since those that share a stack must pass in any. What takes long comes first, so that no
 * worker is left with it at the end. `--seed`, which each run prints, repeats an order.
 */
module.exports = class SeededOrder extends Sequencer {
  constructor(options) {
    super(options);
    this.seed = options.globalConfig.seed;
  }

  sort(tests) {
    const keyed = tests.map((test) => ({ test, key: keyOf(`${this.seed} ${test.path}`), isLong: isLong(test.path) }));
    keyed.sort((one, other) => Number(other.isLong) - Number(one.isLong) || (one.key < other.key ? -1 : 1));
    return keyed.map(({ test }) => test);
  }
};

function isLong(path) {
  return begunFirst.some((part) => path.includes(part));
}

function keyOf(text) {
  return createHash('sha256').update(text).digest('hex');
}
