import { askPort } from './ports';

/** Metadata, version 1, about no topic. Source: https://kafka.apache.org/protocol (request header version 1). */
function metadataRequest(): Buffer {
  const body = Buffer.alloc(14);
  body.writeInt16BE(3, 0); // api key: Metadata
  body.writeInt16BE(1, 2); // api version
  body.writeInt32BE(1, 4); // correlation id
  body.writeInt16BE(-1, 8); // no client id
  body.writeInt32BE(0, 10); // no topic
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/**
 * Whether a Kafka broker serves requests at this port of 127.0.0.1: it lists at least itself. One that still starts is
 * fenced, and so not in its own list.
 */
export async function kafkaAnswers(port: number): Promise<boolean> {
  const reply = await askPort(port, metadataRequest(), {
    isComplete: (bytes) => bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0),
  });
  // Length, correlation id, then the number of brokers.
  return reply !== undefined && reply.length >= 12 && reply.readInt32BE(8) > 0;
}
