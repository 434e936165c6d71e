import { readProcessEnv } from '@sluice/config';
import { runService } from '@sluice/http';
import { batcherEnv, createBatcherService, createContext } from './service';

void runService(() => {
  const context = createContext(batcherEnv.read(readProcessEnv()));
  return { service: createBatcherService(context), logger: context.logger, shutdownMs: context.config.shutdownMs };
});
