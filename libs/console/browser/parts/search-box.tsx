import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { IssueText, type FieldIssue } from './field';

interface SearchOptions {
  /** What is searched for now, as the address says. */
  readonly value: string;
  readonly placeholder: string;
  /** For who hears the page. */
  readonly label: string;
  /** Called with what was typed, trimmed, once per pause of typing and on Enter; empty: everything is shown. */
  readonly onSearch: (text: string) => void;
  /** What the service refused of it. */
  readonly issue?: FieldIssue | undefined;
}

/** Longer than between two key strokes, shorter than a reader waits for. */
const pauseMs = 250;

/** The search of a list. The key `/` leads to it. */
export function SearchBox({ value, placeholder, label, onSearch, issue }: SearchOptions) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<number | undefined>(undefined);
  const issueId = useId();
  // What is being typed stays when the list draws itself again.
  useLayoutEffect(() => {
    const field = input.current;
    if (field !== null && (field !== document.activeElement || value === '')) field.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (): void => {
    clearTimeout(timer.current);
    const text = input.current?.value.trim() ?? '';
    if (text !== value) onSearch(text);
  };
  const wait = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(search, pauseMs);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    search();
  };
  return (
    <div class="search-box">
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        aria-invalid={issue !== undefined}
        aria-describedby={issue === undefined ? undefined : issueId}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onInput={wait}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      <IssueText id={issueId} title={label} issue={issue} />
    </div>
  );
}
