import type { Finding } from './finding';
import { renderAnswers } from './report';

const token = `00Dak00000TestAA!AQ"${'s'.repeat(90)}`;
const findings: Finding[] = [{ capability: 'update', claimed: 'it', seen: 'it', verdict: 'differs' }];
const answering = (message: string) =>
  renderAnswers(
    { findings, shown: new Map([['scopes of the token', ['api', token]]]) },
    [
      {
        step: 'update',
        request: { method: 'PATCH', path: `/records/${token}?key=${token}` },
        reply: { status: 400, headers: {}, json: [{ message }] },
      },
    ],
    token,
  );

// A part of it would not be found any more.
it.each([0, 1, 40, 90, 99, 100])(
  'a token that a provider repeats behind %i letters is masked before the text is cut',
  (at) => {
    const text = answering(`${'x'.repeat(at)}${token} is no token of this account`);
    expect(text).not.toContain(token.slice(0, 9));
    expect(text).toContain('update: PATCH /records/[token]?…: 400 "');
    expect(text).toContain('api, [token]');
  },
);

it('a long text is cut', () => {
  expect(answering('y'.repeat(101))).toContain(`"${'y'.repeat(99)}…" => differs`);
});
