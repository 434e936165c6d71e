import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface HeadOptions {
  readonly title: ComponentChildren;
  /** Of the browser's tab. @default the title, where that is a text */
  readonly tabTitle?: string;
  /** Right of the title, and announced when it changes: a badge. */
  readonly status?: ComponentChildren;
  /** One sentence. */
  readonly lead?: ComponentChildren;
  /** Buttons and links at the end of the line, the primary one last. */
  readonly actions?: ComponentChildren;
  /** The list that the page belongs to. */
  readonly back?: { readonly href: string; readonly text: string };
}

/** The beginning of a page: what it shows, and what can be done with it. */
export function PageHead({ title, tabTitle, status, lead, actions, back }: HeadOptions) {
  const named = tabTitle ?? (typeof title === 'string' ? title : undefined);
  useEffect(() => {
    if (named !== undefined) document.title = `${named} · Sluice`;
  }, [named]);
  return (
    <div class="page-head">
      {back === undefined ? null : (
        <a class="back" href={back.href}>
          ← {back.text}
        </a>
      )}
      <div class="title">
        <h1>{title}</h1>
        {status === undefined ? null : <span role="status">{status}</span>}
        {actions === undefined || actions === null ? null : <div class="actions">{actions}</div>}
      </div>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
    </div>
  );
}
