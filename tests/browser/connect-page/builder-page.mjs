import { finishConnect, openConnect } from '@sluice/client';

// A builder's page: a button that opens the connect page, and what came of it. The page at `/back` is where a window returns to.
const text = (name, value) =>
  document.body.append(Object.assign(document.createElement('p'), { id: name, textContent: JSON.stringify(value) }));

if (location.pathname === '/back') text('finished', finishConnect());
else {
  const url = decodeURIComponent(location.hash.slice(1));
  const button = Object.assign(document.createElement('button'), { textContent: 'Connect' });
  button.addEventListener('click', () => {
    void openConnect({ url }).then((result) => text('result', result));
  });
  document.body.append(button);
}
