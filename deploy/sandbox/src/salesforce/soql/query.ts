/** A parsed SOQL query, names as they were spelled and positions into the text for messages. */
export interface Query {
  readonly select: readonly SelectItem[] | 'count';
  readonly from: Name;
  readonly where: Condition | undefined;
  readonly orderBy: readonly OrderItem[];
  readonly limit: number | undefined;
  readonly offset: number;
}

/** A name, or a path such as `Account.Name`. */
export interface Name {
  readonly text: string;
  /** Offset in the query. */
  readonly at: number;
}

export type SelectItem =
  | { readonly kind: 'field'; readonly name: Name }
  | { readonly kind: 'group'; readonly group: 'ALL' | 'STANDARD' | 'CUSTOM'; readonly name: Name };

export interface OrderItem {
  readonly name: Name;
  readonly descending: boolean;
  /** @default true */
  readonly nullsFirst: boolean;
}

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'LIKE' | 'IN' | 'NOT IN';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | {
      readonly kind: 'compare';
      readonly name: Name;
      readonly operator: Operator;
      /** One, or the list of IN. */
      readonly literals: readonly Literal[];
    };

/** A literal by its form. Whether it fits the field is decided when the field is known. */
export type Literal = {
  readonly at: number;
} & (
  | { readonly kind: 'string'; readonly value: string; readonly pattern: RegExp | undefined }
  | { readonly kind: 'number' | 'date' | 'datetime'; readonly value: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
);
