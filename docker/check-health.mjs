/** HEALTHCHECK of every service image: exit code 0 when the process in this container answers /healthz. */
import process from 'node:process';

const url = `http://127.0.0.1:${process.env.SLUICE_PORT}/healthz`;
const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch((error) => ({ ok: false, status: error }));
if (!reply.ok) process.stderr.write(`${url}: ${reply.status}\n`);
process.exitCode = reply.ok ? 0 : 1;
