import { publicAddress, type ManagementConfig } from './config';

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

/** With the prefix no other host, such as a sibling of this one, can set it (RFC 6265bis, 4.1.3.2). Without TLS, on loopback only, it would be refused. */
export function nameOfHost(config: Pick<ManagementConfig, 'publicUrl' | 'port'>, name: string): string {
  return isHttps(config) ? `__Host-${name}` : name;
}

export function isHttps(config: Pick<ManagementConfig, 'publicUrl' | 'port'>): boolean {
  return publicAddress(config).startsWith('https:');
}
