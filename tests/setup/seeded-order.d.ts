/** Types of `seeded-order.js` for its test. */
interface Suite {
  readonly path: string;
}
declare class SeededOrder {
  constructor(options: { readonly globalConfig: { readonly seed: number } });
  sort(tests: readonly Suite[]): Suite[];
}
export = SeededOrder;
