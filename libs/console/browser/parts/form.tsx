import { useRef, useState } from 'preact/hooks';
import { noteAnswer, noteFailure } from '../network';
import { Field, issuesOf, type FieldIssue } from './field';
import { Problem } from './problem';

/** One field of a form. */
export interface FormField {
  /** As the service names it in what it refuses: `basicAuth.username`. What stands before it there is no matter. */
  readonly name: string;
  readonly title: string;
  readonly type?: 'text' | 'password';
  readonly isOptional?: boolean;
}

interface FormOptions {
  readonly fields: readonly FormField[];
  /** Label of the button that sends it. */
  readonly verb: string;
  /** Title of what is wrong with none of the fields. */
  readonly failure: string;
  /** Rejects with what the service refused; then everything that was typed stays. */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<void>;
}

/** A form that is sent by its button or by Enter. What is refused stands beside its field, by us or by the service. */
export function Form({ fields, verb, failure, onSubmit }: FormOptions) {
  const form = useRef<HTMLFormElement>(null);
  const [issues, setIssues] = useState<readonly FieldIssue[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    const values = valuesOf(form.current, fields);
    const missing = fields.filter(({ name, isOptional }) => isOptional !== true && values[name] === '');
    const remedy = 'Nothing was sent.';
    setError(undefined);
    setIssues(missing.map(({ name }) => ({ name, detail: 'is required', remedy })));
    if (missing.length > 0) return;
    setBusy(true);
    try {
      await onSubmit(values);
      noteAnswer();
      form.current?.reset();
    } catch (caught) {
      noteFailure(caught);
      const found = issuesOf(caught).map((issue) => ({ ...issue, name: fieldOf(fields, issue.name) }));
      const isBesideFields = found.length > 0 && found.every(({ name }) => name !== undefined);
      setIssues(found as FieldIssue[]);
      if (!isBesideFields) setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void send();
  };
  return (
    <form class="form" ref={form} onSubmit={submit} noValidate>
      {fields.map(({ name, title, type }) => (
        <Field key={name} name={name} title={title} type={type} issues={issues} />
      ))}
      {error === undefined ? null : <Problem error={error} title={failure} />}
      <button type="submit" class="primary" disabled={isBusy}>
        {verb}
      </button>
    </form>
  );
}

function valuesOf(form: HTMLFormElement | null, fields: readonly FormField[]): Record<string, string> {
  const elements = [...(form?.querySelectorAll<HTMLInputElement>('[name]') ?? [])];
  const typed = new Map(elements.map(({ name, value }) => [name, value]));
  // A password may begin and end with a space.
  return Object.fromEntries(
    fields.map(({ name, type }) => [
      name,
      type === 'password' ? (typed.get(name) ?? '') : (typed.get(name) ?? '').trim(),
    ]),
  );
}

/** The field that shows an issue of this name: its own, or the first of what the name has in it. */
function fieldOf(fields: readonly FormField[], name: string): string | undefined {
  const isOf = (field: string): boolean => name === field || name.endsWith(`.${field}`);
  const holds = (field: string): boolean => {
    const [member] = field.split('.');
    return member !== field && isOf(member ?? '');
  };
  return (fields.find((field) => isOf(field.name)) ?? fields.find((field) => holds(field.name)))?.name;
}
