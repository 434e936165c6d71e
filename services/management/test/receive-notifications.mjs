import { createServer } from 'node:http';
import { Webhook } from 'svix';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
/** A message may come more than once, always with the same id. Keep them where your data is, for three days. */
const seen = new Set();

const server = createServer((request, response) => void receive(request, response));

async function receive(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  // As it came: JSON that was parsed and printed again has another signature.
  const body = Buffer.concat(chunks).toString();
  try {
    webhook.verify(body, request.headers);
  } catch (error) {
    console.log(`refused: ${error.message}`);
    response.writeHead(400).end();
    return;
  }
  const event = JSON.parse(body);
  if (!seen.has(event.id)) {
    seen.add(event.id);
    console.log(`${event.notificationType} ${event.id} ${JSON.stringify(event.data)}`);
  }
  // Quickly, and before any work that takes long: after 15 seconds the message is sent again.
  response.writeHead(204).end();
}

server.listen(process.env.PORT, () => console.log(`listening on ${server.address().port}`));
