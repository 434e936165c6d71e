/**
 * Preloaded in the services' images: file and line of the sources in stack traces, as `--enable-source-maps` gives them. That reads every map beside its
 * module, 4 MB of an idle service; this reads one when a trace first needs it.
 */
const { readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const path = require('node:path');

/** By compiled file; undefined for one that has no map. */
const maps = new Map();

function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}

/** `handle (/app/dist/index.js:3:7)` with the position of the source. */
function describe(frame) {
  const text = frame.toString();
  const file = frame.getFileName();
  if (!file?.startsWith('/')) return text;
  const { fileName, lineNumber, columnNumber } =
    mapOf(file)?.findOrigin(frame.getLineNumber(), frame.getColumnNumber()) ?? {};
  if (fileName === undefined) return text;
  const position = `${path.resolve(path.dirname(file), fileName)}:${lineNumber}:${columnNumber}`;
  return text.replace(`${file}:${frame.getLineNumber()}:${frame.getColumnNumber()}`, position);
}

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${describe(frame)}`)].join('\n');
