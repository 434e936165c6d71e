// Preloaded into executors (NODE_OPTIONS): a record that holds the poison kills the process, as one that exhausts memory would.
// `read`: when its stored values are read, before the intent; `send`: when the request is made of them, after it.
const { FAULT_POISON_READ: read, FAULT_POISON_SEND: send } = process.env;
const { parse, stringify } = JSON;

function dieOf(poison, text) {
  if (poison !== undefined && typeof text === 'string' && text.includes(poison)) process.kill(process.pid, 'SIGKILL');
  return text;
}

JSON.parse = (text, reviver) => parse(dieOf(read, text), reviver);
JSON.stringify = (...given) => dieOf(send, stringify(...given));
