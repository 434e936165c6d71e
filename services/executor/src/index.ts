import { readProcessEnv } from '@sluice/config';
import { runService } from '@sluice/http';
import { createContext, createExecutorService, executorEnv } from './service';

void runService(() => {
  const context = createContext(executorEnv.read(readProcessEnv()));
  return { service: createExecutorService(context), logger: context.logger, shutdownMs: context.config.shutdownMs };
});
