import { SluiceError } from '@sluice/errors';

const reasons: Record<string, string> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'needs a privilege this process does not have',
  EADDRNOTAVAIL: 'is on an address this machine does not have',
};

/** The server cannot listen. The detail names the port and what to change. */
export class ListenError extends SluiceError {
  override readonly retry = 'never';
  readonly port: number;

  /** @param setting that says which port it is */
  constructor(port: number, host: string, cause: NodeJS.ErrnoException, setting = 'SLUICE_PORT') {
    const reason = reasons[cause.code ?? ''] ?? `cannot be listened on (${cause.code ?? cause.message})`;
    const remedy = `Stop that program, or set ${setting} for this service, or SLUICE_PORT_BASE to move all of them.`;
    super({
      code: 'service.config-invalid',
      detail: `Port ${port} of ${host} ${reason}. ${remedy}`,
      meta: { port, host },
      cause,
    });
    this.port = port;
  }
}
