import type { Response } from 'express';

/** A body that is sent as it is, byte for byte. */
export interface FileBody {
  /** Whole, with its charset. */
  readonly contentType: string;
  readonly content: Buffer;
}

/** Answers with a file of ours. Its encoding and caching stand in the reply's headers. */
export function sendFile(res: Response, status: number, { contentType, content }: FileBody): void {
  res.statusCode = status;
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Length', content.length);
  res.end(res.req.method === 'HEAD' ? undefined : content);
}
