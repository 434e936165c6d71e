/** Types of `tiers.js` for its test. */
declare const tiersModule: Readonly<Record<'fullOnly' | 'alone' | 'begunFirst', readonly string[]>>;
export = tiersModule;
