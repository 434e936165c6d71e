/** A copy of the process's environment. The only place that reads it; everything else takes values. */
export function readProcessEnv(): NodeJS.ProcessEnv {
  // oxlint-disable-next-line no-process-env -- this is the one reader
  return { ...process.env };
}
