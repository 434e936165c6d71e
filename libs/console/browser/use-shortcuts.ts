import { useEffect } from 'preact/hooks';

/** Ctrl+K or Cmd+K calls `onFind`; `/` leads to the search of the list that is shown. Where something is typed, `/` is a letter. */
export function useShortcuts(onFind: () => void): void {
  useEffect(() => {
    const follow = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
        event.preventDefault();
        onFind();
      } else if (key === '/' && !isTyped(target) && document.querySelector('dialog[open]') === null) {
        const search = document.querySelector<HTMLInputElement>('input[type=search]');
        if (search === null) return;
        event.preventDefault();
        search.focus();
      }
    };
    addEventListener('keydown', follow);
    return () => removeEventListener('keydown', follow);
  }, []);
}

const isTyped = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
