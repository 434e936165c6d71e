/** The value of a cookie in a `Cookie` header. Source: RFC 6265, 5.4. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  const start = `${name}=`;
  const pair = header?.split(';').find((one) => one.trim().startsWith(start));
  return pair?.trim().slice(start.length);
}

/** The names of the cookies in a `Cookie` header. */
export function cookieNames(header = ''): string[] {
  return header.split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
}
