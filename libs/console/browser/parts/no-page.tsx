import { hrefOf } from '../use-route';
import { Empty } from './empty';
import { PageHead } from './page-head';

/** An address that leads nowhere. */
export function NoPage({ path, title }: { readonly path: string; readonly title: string }) {
  return (
    <>
      <PageHead title="There is no such page" />
      <Empty title="The address leads nowhere">
        Go on with <a href={hrefOf(path)}>{title}</a>, or press <kbd>Ctrl</kbd> <kbd>K</kbd> to find a page, a customer
        or an operation.
      </Empty>
    </>
  );
}
