import type { Response } from 'express';

/** Answers with a text or a page, as it is. */
export function sendText(
  res: Response,
  status: number,
  { contentType, content }: { readonly contentType: string; readonly content: string },
): void {
  res.statusCode = status;
  res.setHeader('Content-Type', `${contentType}; charset=utf-8`);
  res.setHeader('Content-Length', Buffer.byteLength(content));
  res.end(res.req.method === 'HEAD' ? undefined : content);
}
