import type { ConnectView, ConnectViewSession } from '@sluice/types';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { ConnectApi, FieldIssue, Refusal } from './api';
import { Say, texts, type Names } from './texts';

/** What each screen of the page has. */
export interface ScreenProps {
  readonly api: ConnectApi;
  readonly view: ConnectView;
  readonly session: ConnectViewSession;
  readonly names: Names;
  /** Goes on with what the service answered. */
  readonly show: (view: ConnectView) => void;
  /** Asks the service again. */
  readonly reload: () => Promise<void>;
}

/** What was refused, and what to do. */
export function Problem({ refusal }: { readonly refusal: Refusal }) {
  return (
    <div class="problem" role="alert">
      <p>{refusal.message}</p>
      {refusal.issues.map(({ name, detail }) => (
        <p key={name}>
          {name} {detail}.
        </p>
      ))}
      {refusal.remedy === undefined ? null : <p>{refusal.remedy}</p>}
    </div>
  );
}

/** What could not be read, and a button that reads it again. */
export function TryAgain({ refusal, again }: { readonly refusal: Refusal; readonly again: () => Promise<void> }) {
  return (
    <>
      <Problem refusal={refusal} />
      <p class="actions">
        <button type="button" onClick={() => void again()}>
          {texts.again}
        </button>
      </p>
    </>
  );
}

interface LabelledOptions {
  readonly title: string;
  readonly isOptional?: boolean;
  readonly hint?: ComponentChildren;
  readonly issue: FieldIssue | undefined;
  /** The field, with what leads to its title, its hint and what is wrong with it. */
  readonly children: (field: FieldAttributes) => ComponentChildren;
}

export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

/** A field with its title, what it means, and what is wrong with it. */
export function Labelled({ title, isOptional = false, hint, issue, children }: LabelledOptions) {
  const id = useId();
  const describedBy = `${id}-hint ${id}-issue`;
  return (
    <div class="field">
      <label for={id}>
        <bdi>{title}</bdi>
        {isOptional ? texts.isOptional : ''}
      </label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': issue !== undefined })}
      <p class="issue" id={`${id}-issue`} role="alert">
        {issue === undefined ? '' : `${title} ${issue.detail}.`}
      </p>
    </div>
  );
}

interface SubmitOptions {
  readonly text: string;
  readonly names: Names;
  readonly isBusy: boolean;
  /** In its place while the service works. @default the same */
  readonly busyText?: string;
}

/** The one action of a form. */
export function Submit({ text, names, isBusy, busyText = text }: SubmitOptions) {
  return (
    <button type="submit" class="primary" disabled={isBusy}>
      <Say text={isBusy ? busyText : text} names={names} />
    </button>
  );
}
