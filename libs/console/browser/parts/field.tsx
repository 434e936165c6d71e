import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

/** What is wrong with a field, and what to do, shown beside it. */
export interface FieldIssue {
  readonly name: string;
  readonly detail: string;
  readonly value?: string | undefined;
  readonly remedy?: string | undefined;
}

/** Written for who reads the reply: on a page its `issues` are the sentences beside the fields. Source: the problems of the API. */
export const isAboutIssues = (remedy: string | undefined): boolean => remedy?.includes('that issues names') === true;

/** What the service refused, field by field. */
export function issuesOf(error: unknown): FieldIssue[] {
  const { issues = [], remedy } = (error ?? {}) as {
    readonly issues?: readonly FieldIssue[];
    readonly remedy?: string;
  };
  return issues.map(({ name, detail, value }) => ({
    name,
    detail,
    value,
    remedy: isAboutIssues(remedy) ? undefined : remedy,
  }));
}

interface FieldOptions {
  readonly name: string;
  readonly title: string;
  readonly issues: readonly FieldIssue[];
  readonly isOptional?: boolean;
  readonly placeholder?: string | undefined;
  readonly type?: 'text' | 'datetime-local' | 'password' | 'long' | 'choice' | undefined;
  /** Shown from the start. */
  readonly value?: string | undefined;
  /** What may be typed, with what tells one from another; anything else may be typed as well. */
  readonly suggestions?: readonly (readonly [string, string])[] | undefined;
  /** Of a text: called with each key stroke. */
  readonly onInput?: ((text: string) => void) | undefined;
  /** Of a text: what it means, below it. */
  readonly hint?: ComponentChildren;
  /** The options of a choice. */
  readonly children?: ComponentChildren;
}

/** One field with its title, and what is wrong with it. The form reads its value from the element. */
export function Field({
  name,
  title,
  issues,
  isOptional,
  placeholder,
  type = 'text',
  value,
  suggestions,
  onInput,
  hint,
  children,
}: FieldOptions) {
  const issueId = useId();
  const listId = useId();
  const issue = issues.find((one) => one.name === name);
  const shared = {
    name,
    'aria-invalid': issue !== undefined,
    'aria-describedby': issue === undefined ? undefined : issueId,
  } as const;
  return (
    <label>
      <span>
        {title}
        {isOptional === true ? ' (optional)' : ''}
      </span>
      {type === 'choice' ? (
        <select {...shared}>{children}</select>
      ) : type === 'long' ? (
        <textarea rows={12} spellcheck={false} placeholder={placeholder} defaultValue={value} {...shared} />
      ) : type === 'password' ? (
        // Not the user's own password, so the browser should not offer to save it.
        <input type="password" placeholder={placeholder} autocomplete="new-password" {...shared} />
      ) : type === 'datetime-local' ? (
        <input type="datetime-local" defaultValue={value} {...shared} />
      ) : (
        <input
          type="text"
          placeholder={placeholder}
          spellcheck={false}
          defaultValue={value}
          list={suggestions === undefined ? undefined : listId}
          onInput={onInput === undefined ? undefined : ({ currentTarget }) => onInput(currentTarget.value)}
          {...shared}
        />
      )}
      {suggestions === undefined ? null : (
        <datalist id={listId}>
          {suggestions.map(([each, meaning]) => (
            <option key={each} value={each} label={meaning} />
          ))}
        </datalist>
      )}
      {hint === undefined || issue !== undefined ? null : <span class="hint">{hint}</span>}
      <IssueText id={issueId} title={title} issue={issue} isSecret={type === 'password'} />
    </label>
  );
}

interface CopyOptions {
  readonly title: string;
  readonly value: string;
}

/** A text that is taken elsewhere: the button copies it, and the first click selects all of it. */
export function CopyField({ title, value }: CopyOptions) {
  const input = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState('');
  const copy = async (): Promise<void> => {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setCopied('Copied.');
    } catch {
      // A page without https has no clipboard, and a browser may refuse it.
      setCopied('It is selected: copy it with the keyboard.');
    }
  };
  return (
    <div class="copied">
      <label>
        {title}
        <input ref={input} readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <button type="button" onClick={() => void copy()}>
        Copy<span class="hidden"> {title}</span>
      </button>
      <span class="fine" role="status">
        {copied}
      </span>
    </div>
  );
}

interface IssueOptions {
  /** Of this page alone: two forms may have a field of one name. */
  readonly id: string;
  readonly title: string;
  readonly issue: FieldIssue | undefined;
  readonly isSecret?: boolean;
}

/** The field, the rule, the value and what to do. */
export function IssueText({ id, title, issue, isSecret }: IssueOptions) {
  if (issue === undefined) return null;
  const { name, detail, value, remedy } = issue;
  return (
    <span class="issue" id={id} data-field={name} role="alert">
      {title} {detail}
      {value === undefined || isSecret === true ? '' : `, not ${value}`}. {remedy}
    </span>
  );
}
