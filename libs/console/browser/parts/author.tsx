import { shortId } from '../format';

interface AuthorOptions {
  /** Absent for what is older than the note of it. */
  readonly createdBy?: string | undefined;
  readonly createdByLabel?: string | undefined;
}

/** Who made something: what a key, a person or a user is called, or what is known of who has no name. */
export function Author({ createdBy, createdByLabel }: AuthorOptions) {
  if (createdBy === undefined) return <span class="fine">not known</span>;
  return (
    <span class="author" title={createdBy}>
      {createdByLabel ?? authorName(createdBy)}
    </span>
  );
}

/** Of an author without a label. Source: specification, Config. */
export function authorName(createdBy: string): string {
  if (createdBy === 'builder:admin') return 'the bootstrap key';
  const [, kind, ref = ''] = /^(consumer|builder|api):(.*)$/s.exec(createdBy) ?? [];
  if (kind === undefined) return createdBy;
  // A backend may name another author than the key it uses.
  return kind === 'builder' && /^[0-9a-f-]{36}$/.test(ref) ? `a former key ${shortId(ref)}` : ref;
}
