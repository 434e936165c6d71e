import { failedRecordLine, failedRecordsHeader } from './csv';

it.each([
  ['plain', 'plain'],
  ['', ''],
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['two\nlines', '"two\nlines"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['  spaces stay ', '  spaces stay '],
  ['=1+1', "'=1+1"],
  ['+420 123', "'+420 123"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['＝1', "'＝1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ["'already", "'already"],
  ['1=1', '1=1'],
])('a cell of %j is written as %j', (text, cell) => {
  expect(failedRecordLine({ index: 0, status: 'failed', ref: text })).toBe(`0,,${cell},,,,\r\n`);
});

it('a failed record is a line under the header', () => {
  const error = { class: 'rejected', message: 'Email "x", refused' } as const;
  const problems = ['email', 'phone'].map((field) => ({ field, message: 'is wrong' }));
  const lines = [
    failedRecordsHeader,
    failedRecordLine({ index: 0, status: 'failed', error }),
    failedRecordLine({ index: 12, status: 'failed', recordId: '171', ref: '=cmd', error, problems }),
    failedRecordLine({
      index: 13,
      status: 'failed',
      error,
      identifiedBy: { field: 'email', value: '=ann@example.com' },
    }),
  ];
  expect(lines.join('')).toBe(
    'record,id,ref,code,text,fields,identified by\r\n' +
      '0,,,rejected,"Email ""x"", refused",,\r\n' +
      '12,171,\'=cmd,rejected,"Email ""x"", refused",email; phone,\r\n' +
      '13,,,rejected,"Email ""x"", refused",,\'=ann@example.com\r\n',
  );
});
