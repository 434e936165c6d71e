import { useState } from 'preact/hooks';
import { shortId } from '../format';

/** The end of an id; pressed, all of it is copied. Where the browser has no clipboard (plain http), all of it is shown. */
export function ShortId({ id, of }: { readonly id: string; readonly of: string }) {
  const [isCopied, setCopied] = useState(false);
  // Absent outside of secure contexts, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) return <code>{id}</code>;
  const copy = async (): Promise<void> => {
    await clipboard.writeText(id);
    setCopied(true);
  };
  return (
    <button type="button" class="copy-id" title={id} onClick={() => void copy()}>
      <code>{shortId(id)}</code> <span aria-live="polite">{isCopied ? 'copied' : 'copy'}</span>
      <span class="hidden"> the id of {of}</span>
    </button>
  );
}
