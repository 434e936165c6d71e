/**
 * Checks workflows with the parser and checker of GitHub's own editor: the schema, what a job needs, and the expressions.
 * It does not know the inputs of an action, the names of runners, or what a shell makes of a command.
 * Usage: node tests/workflows/lint.mjs FILE... Prints `file:line: message` for each finding, a warning too, and ends with 1 when there is one.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';

// The package is made for bundlers: it imports JSON without the attribute that Node asks for.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { validate } = await import('@actions/languageservice');

for (const file of process.argv.slice(2)) {
  // Distinguished from other YAML by its folder.
  const url = pathToFileURL(`/.github/workflows/${basename(file)}`).href;
  for (const { range, message } of await validate(TextDocument.create(url, 'yaml', 0, readFileSync(file, 'utf8')))) {
    // The parser of YAML adds an excerpt in further lines.
    process.stdout.write(`${basename(file)}:${range.start.line + 1}: ${message.split('\n')[0]}\n`);
    process.exitCode = 1;
  }
}
