import { render } from 'preact';
import { ConnectPage } from './page';

const root = document.getElementById('connect');
if (root !== null) render(<ConnectPage token={location.hash.slice(1)} />, root);
// Another link in the same tab, and a page that the browser kept while it was at the provider.
addEventListener('hashchange', () => location.reload());
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
