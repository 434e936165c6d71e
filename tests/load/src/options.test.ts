import { readOptions } from './options';

const known = ['P1', 'P2', 'P18'];

it.each([
  [[], { isQuick: false, isRendered: false }],
  [['--render'], { isQuick: false, isRendered: true }],
  [['--quick'], { isQuick: true, isRendered: false }],
  [['--row', 'P1,P18'], { isQuick: false, isRendered: false, rows: ['P1', 'P18'] }],
  [['--row=p2', '--quick'], { isQuick: true, isRendered: false, rows: ['P2'] }],
  // A row that was asked for and silently left out would keep an old figure.
  [['--row', 'P1', '--row', 'P18'], { isQuick: false, isRendered: false, rows: ['P1', 'P18'] }],
  [['--row=P1,P2', '--quick', '--row', 'P2,P18'], { isQuick: true, isRendered: false, rows: ['P1', 'P2', 'P18'] }],
])('reads %j', (args, expected) => {
  expect(readOptions(args, known)).toEqual(expected);
});

it.each([
  [['--rows', 'P1'], /no option "--rows"/],
  [['P1'], /no option "P1"/],
  [['--quick=yes'], /no option "--quick=yes"/],
  [['--row', 'P3'], /no row "P3"/],
  [['--row'], /no row ""/],
  [['--row', 'P3', '--row', 'P1'], /no row "P3"/],
])('refuses %j', (args, message) => {
  expect(() => readOptions(args, known)).toThrow(message);
});
