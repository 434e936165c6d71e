import type { ComponentChildren } from 'preact';

/** Instead of a table without rows: what is missing, and the command that changes it. */
export function Empty({ title, command, children }: EmptyOptions) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      <p>{children}</p>
      {command === undefined ? null : <pre tabIndex={0}>{command}</pre>}
    </div>
  );
}

interface EmptyOptions {
  readonly title: string;
  /** To be copied into a shell. */
  readonly command?: string;
  readonly children?: ComponentChildren;
}
