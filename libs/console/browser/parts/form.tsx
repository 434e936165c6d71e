import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { noteAnswer, noteFailure } from '../network';
import { Field, IssueText, issuesOf, type FieldIssue } from './field';
import { Problem } from './problem';

/** One field of a form. */
export interface FormField {
  /** As the service names it in what it refuses: `basicAuth.username`. What stands before it there is no matter. */
  readonly name: string;
  readonly title: string;
  readonly type?: 'text' | 'datetime-local' | 'password' | 'long' | 'choice' | 'many';
  readonly isOptional?: boolean;
  /** Shown from the start; of many, those that are chosen, between commas. */
  readonly value?: string;
  readonly placeholder?: string;
  /** Of a text: value and what tells it from another. */
  readonly suggestions?: readonly (readonly [string, string])[];
  /** Of a text: called with each key stroke. */
  readonly onInput?: (text: string) => void;
  /** Of a text: what it means, below it. */
  readonly hint?: ComponentChildren;
  /** Of a choice, and of many: value and title; of many also what it means. */
  readonly choices?: readonly (readonly [value: string, title: string, meaning?: string])[];
}

export interface FormOptions {
  readonly fields: readonly FormField[];
  /** Label of the button that sends it. */
  readonly verb: string;
  /** Title of what is wrong with none of the fields. */
  readonly failure: string;
  /** Rejects with what the service refused; then everything that was typed stays. */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<void>;
  /** Whether what was typed stays after it was sent. */
  readonly isKept?: boolean;
  /** Another button that sends the same fields elsewhere. Enter presses the first. */
  readonly second?: Pick<FormOptions, 'verb' | 'onSubmit'>;
  /** What else can be done, beside the buttons. */
  readonly children?: ComponentChildren;
}

/** A form that is sent by its button or by Enter. What is refused stands beside its field, by us or by the service. */
export function Form({ fields, verb, failure, isKept, second, onSubmit, children }: FormOptions) {
  const form = useRef<HTMLFormElement>(null);
  const [issues, setIssues] = useState<readonly FieldIssue[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  // Who sent it goes on where it was refused.
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [issues]);
  const send = async (submit: FormOptions['onSubmit']): Promise<void> => {
    const values = valuesOf(form.current, fields);
    const wrong = missingOf(form.current, fields, values);
    setError(undefined);
    setIssues(wrong);
    if (wrong.length > 0) return;
    setBusy(true);
    try {
      await submit(values);
      noteAnswer();
      if (isKept !== true) form.current?.reset();
    } catch (caught) {
      noteFailure(caught);
      const found = issuesOf(caught).map((issue) => besideField(fields, issue));
      const isBesideFields = found.length > 0 && found.every(({ name }) => name !== undefined);
      setIssues(found as FieldIssue[]);
      if (!isBesideFields) setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const isSecond = second !== undefined && event.submitter?.dataset['second'] !== undefined;
    void send(isSecond ? second.onSubmit : onSubmit);
  };
  return (
    <form class="form" ref={form} onSubmit={submit} noValidate>
      {fields.map((field) => (
        <FormFieldView key={field.name} field={field} issues={issues} />
      ))}
      {error === undefined ? null : <Problem error={error} title={failure} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {verb}
        </button>
        {second === undefined ? null : (
          <button type="submit" data-second disabled={isBusy}>
            {second.verb}
          </button>
        )}
        {children}
      </div>
    </form>
  );
}

function FormFieldView({ field, issues }: { readonly field: FormField; readonly issues: readonly FieldIssue[] }) {
  const { name, title, type, value = '', choices = [], placeholder, suggestions, onInput, hint } = field;
  const issueId = useId();
  if (type === 'many') {
    const chosen = value.split(',');
    const issue = issues.find((one) => one.name === name);
    return (
      <fieldset aria-describedby={issue === undefined ? undefined : issueId}>
        <legend>{title}</legend>
        {choices.map(([each, text, meaning]) => (
          <div key={each} class={meaning === undefined ? undefined : 'with-meaning'}>
            <label class="check">
              <input
                type="checkbox"
                name={name}
                value={each}
                defaultChecked={chosen.includes(each)}
                aria-describedby={meaning === undefined ? undefined : `${issueId}-${each}`}
              />
              {text}
            </label>
            {meaning === undefined ? null : (
              <span class="fine" id={`${issueId}-${each}`}>
                {meaning}
              </span>
            )}
          </div>
        ))}
        <IssueText id={issueId} title={title} issue={issue} />
      </fieldset>
    );
  }
  return (
    <Field
      name={name}
      title={title}
      isOptional={field.isOptional === true}
      type={type}
      value={value}
      placeholder={placeholder}
      suggestions={suggestions}
      onInput={onInput}
      hint={hint}
      issues={issues}
    >
      {choices.map(([each, meaning]) => (
        <option key={each} value={each} selected={each === value}>
          {meaning}
        </option>
      ))}
    </Field>
  );
}

const elementsOf = (form: HTMLFormElement | null, name: string): HTMLInputElement[] =>
  [...(form?.querySelectorAll<HTMLInputElement>('[name]') ?? [])].filter((element) => element.name === name);

function valuesOf(form: HTMLFormElement | null, fields: readonly FormField[]): Record<string, string> {
  const valueOf = ({ name, type }: FormField): string => {
    const elements = elementsOf(form, name);
    if (type === 'many') return elements.flatMap(({ checked, value }) => (checked ? [value] : [])).join(',');
    const value = elements[0]?.value ?? '';
    // A password may begin and end with a space.
    return type === 'password' ? value : value.trim();
  };
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
}

/** What the page itself refuses: what is not there, and half a moment. */
function missingOf(
  form: HTMLFormElement | null,
  fields: readonly FormField[],
  values: Readonly<Record<string, string>>,
): FieldIssue[] {
  return fields.flatMap(({ name, type, isOptional }) => {
    const isHalf = elementsOf(form, name)[0]?.validity.badInput === true;
    if (isHalf) return [{ name, detail: 'must be a whole day and time', remedy: 'Complete it.' }];
    if (isOptional === true || values[name] !== '') return [];
    return [{ name, detail: type === 'many' ? 'needs one at least' : 'is required', remedy: 'Nothing was sent.' }];
  });
}

/** The issue under the name of the field that shows it; one inside a value, such as `record.email`, says where in it. */
function besideField(fields: readonly FormField[], issue: FieldIssue): Omit<FieldIssue, 'name'> & { name?: string } {
  const { name: _named, ...rest } = issue;
  const name = fieldOf(fields, issue.name);
  if (name !== undefined) return { ...rest, name };
  const outer = fields.find(
    (field) => issue.name.startsWith(`${field.name}.`) || issue.name.startsWith(`${field.name}[`),
  );
  return outer === undefined ? rest : { ...rest, name: outer.name, detail: `${issue.name} ${issue.detail}` };
}

/** The field that shows an issue of this name: its own, or the first of what the name has in it. */
function fieldOf(fields: readonly FormField[], name: string): string | undefined {
  const plain = name.replace(/\[\d+\]$/, '');
  const isOf = (field: string): boolean => plain === field || plain.endsWith(`.${field}`);
  const holds = (field: string): boolean => {
    const [member] = field.split('.');
    return member !== field && isOf(member ?? '');
  };
  return (fields.find((field) => isOf(field.name)) ?? fields.find((field) => holds(field.name)))?.name;
}
