import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { noteFailure } from '../network';
import { Problem } from './problem';

interface ConfirmOptions {
  readonly title: string;
  /** Label of the button that does it. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly children: ComponentChildren;
  /** Rejects with what is shown in the dialog, which then stays. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something is done. Escape and the first button leave things as they are. */
export function Confirm({ title, verb, isDangerous, children, onConfirm, onClose }: ConfirmOptions) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => dialog.current?.showModal(), []);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
    } catch (caught) {
      noteFailure(caught);
      setError(caught);
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onClose}>
      <h2 id="confirm-title">{title}</h2>
      {children}
      {error === undefined ? null : <Problem error={error} />}
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          Leave it
        </button>
        <button
          type="button"
          class={isDangerous ? 'danger' : 'primary'}
          disabled={isBusy}
          onClick={() => void confirm()}
        >
          {verb}
        </button>
      </div>
    </dialog>
  );
}
