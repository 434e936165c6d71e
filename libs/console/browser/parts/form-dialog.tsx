import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Form, type FormOptions } from './form';

interface DialogOptions extends FormOptions {
  readonly title: string;
  /** Above the fields. */
  readonly children?: ComponentChildren;
  /** Another form, with empty fields, where this changes. */
  readonly formKey?: string;
  /** Sent and taken, or left. */
  readonly onClose: () => void;
}

/** A form above the page. Escape and the last button leave it; what is refused stays as it was typed. The focus goes back to what opened it. */
export function FormDialog({ title, children, formKey, onClose, onSubmit, ...form }: DialogOptions) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog ref={dialog} class="form-dialog" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
      <Form
        key={formKey}
        {...form}
        onSubmit={async (values) => {
          await onSubmit(values);
          close();
        }}
      >
        <button type="button" onClick={close}>
          Leave it
        </button>
      </Form>
    </dialog>
  );
}

interface ButtonOptions extends Omit<DialogOptions, 'onClose'> {
  readonly isPrimary?: boolean;
}

/** A button that opens a form, and is named as its dialog is. */
export function FormButton({ isPrimary, ...dialog }: ButtonOptions) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={isPrimary === true ? 'primary' : undefined} onClick={() => setOpen(true)}>
        {dialog.title}…
      </button>
      {isOpen ? <FormDialog {...dialog} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
