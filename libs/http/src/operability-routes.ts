import type { RequestHandler } from 'express';
import type { AppState } from './app-state';
import { sendJson } from './send-reply';

/** Whether the service can do its work now. `checks`: dependency -> `ok`, or a sentence that says what is wrong. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/** A probe that waits longer than this gets "not ready". Kubernetes' own default is 1 s; we ask for 2 in the chart. */
const readyTimeoutMs = 1_500;

/** `/healthz`: the process answers. Never asks a dependency: a restart does not heal the database. */
export const healthRoute: RequestHandler = (_req, res) => sendJson(res, 200, { status: 'ok' });

/** `/readyz`: 200 or 503 with the checks. Probes that overlap share one check. */
export function readyRoute(ready: () => Promise<Readiness>, state: AppState): RequestHandler {
  let running: Promise<Readiness> | undefined;
  const check = () => (running ??= bounded(ready).finally(() => (running = undefined)));
  return async (_req, res) => {
    const readiness = state.draining ? { ready: false, checks: { process: 'is shutting down' } } : await check();
    sendJson(res, readiness.ready ? 200 : 503, { status: readiness.ready ? 'ready' : 'not ready', ...readiness });
  };
}

async function bounded(ready: () => Promise<Readiness>): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve({ ready: false, checks: { process: 'did not answer in time' } }), readyTimeoutMs);
  });
  const broken = () => ({ ready: false, checks: { process: 'could not be checked' } });
  try {
    return await Promise.race([ready().catch(broken), late]);
  } finally {
    clearTimeout(timer);
  }
}
