/** Types of `rule-check.js` for its test. */
interface Rule {
  readonly id: string;
  readonly section: string;
  /** The rule in own words. */
  readonly rule: string;
  readonly kind: string;
  /** Subject of the entry of docs/rulings that decides a point on which the specification is silent. */
  readonly ruling?: string;
  /** Number of the issue that builds it; then no test is asked for. */
  readonly waitsFor?: number;
  readonly reason?: string;
}
interface Passed {
  readonly rules: readonly Rule[];
  readonly rulings: ReadonlySet<string>;
  readonly passedIds: readonly string[];
  readonly isWhole: boolean;
}
declare const ruleCheckModule: {
  ruleIdsOf(title: string): string[];
  rulingSubjectsOf(page: string): string[];
  checkRuleList(rules: readonly Rule[], rulings: ReadonlySet<string>): string[];
  checkRules(passed: Passed): { line: string; problems: string[] };
  readRules(root: string): { rules: Rule[]; rulings: Set<string> };
};
export = ruleCheckModule;
