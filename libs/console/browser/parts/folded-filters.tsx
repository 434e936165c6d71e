import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface FoldedOptions {
  /** How many of them narrow the list now. */
  readonly count: number;
  readonly children: ComponentChildren;
}

/** Filters beside a search; on a phone behind a button, so that the list begins on the first screen. */
export function FoldedFilters({ count, children }: FoldedOptions) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <button
        type="button"
        class="phone-only"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{count === 0 ? '' : ` (${count})`}
      </button>
      <div id={id} class={isOpen ? 'folded-filters open' : 'folded-filters'}>
        {children}
      </div>
    </>
  );
}
