/** Types of `security-check.js` for its test. */
interface Item {
  readonly id: number;
  readonly files: readonly string[];
}
declare const securityCheck: {
  itemsOf(title: string): number[];
  rowsOf(page: string): Item[];
  readItems(root: string): Item[];
  checkItems(run: {
    readonly items: readonly Item[];
    readonly tier: 'guard' | 'full';
    readonly passed: readonly { readonly path: string; readonly items: readonly number[] }[];
  }): string[];
};
export = securityCheck;
