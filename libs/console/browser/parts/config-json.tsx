import type { ConfigContent } from '@sluice/types';
import { useState } from 'preact/hooks';
import type { FieldIssue } from './field';

interface JsonOptions {
  readonly content: ConfigContent;
  readonly issues: readonly FieldIssue[];
  /** Why what is typed is no content. */
  readonly fault: string | undefined;
  readonly onFault: (fault: string | undefined) => void;
  readonly onChange: (content: ConfigContent) => void;
}

/** The same content as JSON. What is typed stays as it is typed; as soon as it can be read it is the content. */
export function ConfigJson({ content, issues, fault, onFault, onChange }: JsonOptions) {
  const [text, setText] = useState(() => JSON.stringify(content, null, 2));
  const type = (typed: string): void => {
    setText(typed);
    try {
      onChange(readObject(typed));
      onFault(undefined);
    } catch (caught) {
      onFault((caught as Error).message);
    }
  };
  const all: readonly FieldIssue[] =
    fault === undefined
      ? issues
      : [{ name: 'The text', detail: `is not JSON (${fault})`, remedy: 'Correct it: nothing is saved until then.' }];
  const isWrong = all.length > 0;
  return (
    <section class="panel">
      <label class="form broad">
        Config, as JSON
        <textarea
          rows={24}
          spellcheck={false}
          value={text}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? 'issues-config' : undefined}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </label>
      {isWrong ? <IssueList id="issues-config" issues={all} /> : null}
    </section>
  );
}

function readObject(text: string): ConfigContent {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as ConfigContent;
  throw new TypeError('it must be an object');
}

/** What is wrong with parts of a config that have no field of their own, by their paths. */
export function IssueList({ id, issues }: { readonly id?: string; readonly issues: readonly FieldIssue[] }) {
  return (
    <div id={id} role="alert">
      <ul class="issue">
        {issues.map(({ name, detail, value, remedy }) => (
          <li key={name}>
            {name} {detail}
            {value === undefined ? '' : `, not ${value}`}. {remedy}
          </li>
        ))}
      </ul>
    </div>
  );
}
