/** What is wrong with a field, and what to do, shown beside it. */
export interface FieldIssue {
  readonly name: string;
  readonly detail: string;
  readonly value?: string | undefined;
  readonly remedy?: string | undefined;
}

/** What the service refused, field by field. */
export function issuesOf(error: unknown): FieldIssue[] {
  const { issues = [], remedy } = (error ?? {}) as {
    readonly issues?: readonly FieldIssue[];
    readonly remedy?: string;
  };
  return issues.map(({ name, detail, value }) => ({ name, detail, value, remedy }));
}

interface FieldOptions {
  readonly name: string;
  readonly title: string;
  readonly issues: readonly FieldIssue[];
  readonly placeholder?: string | undefined;
  readonly type?: 'text' | 'datetime-local' | 'password' | undefined;
}

/** One field with its title, and what is wrong with it. Whoever reads the form reads its value from the element. */
export function Field({ name, title, issues, placeholder, type = 'text' }: FieldOptions) {
  const issue = issues.find((one) => one.name === name);
  const id = `issue-${name}`;
  const shared = {
    name,
    'aria-invalid': issue !== undefined,
    'aria-describedby': issue === undefined ? undefined : id,
  } as const;
  return (
    <label>
      {title}
      {type === 'password' ? (
        // Not a password of whoever sits here: no browser should offer to keep it.
        <input type="password" placeholder={placeholder} autocomplete="new-password" {...shared} />
      ) : type === 'datetime-local' ? (
        <input type="datetime-local" {...shared} />
      ) : (
        <input type="text" placeholder={placeholder} spellcheck={false} {...shared} />
      )}
      {issue === undefined ? null : (
        <span class="issue" id={id} role="alert">
          {title} {issue.detail}
          {issue.value === undefined || type === 'password' ? '' : `, not ${issue.value}`}. {issue.remedy}
        </span>
      )}
    </label>
  );
}
