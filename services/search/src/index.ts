import { readProcessEnv } from '@sluice/config';
import { runService } from '@sluice/http';
import { createContext, createSearchService, searchEnv } from './service';

void runService(() => {
  const context = createContext(searchEnv.read(readProcessEnv()));
  return { service: createSearchService(context), logger: context.logger, shutdownMs: context.config.shutdownMs };
});
