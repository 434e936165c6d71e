import { readProcessEnv } from '@sluice/config';
import { runService } from '@sluice/http';
import { createContext, createSearchService, searchEnv } from './service';

void runService(() => {
  const context = createContext(searchEnv.read(readProcessEnv()));
  const { drainDelayMs, shutdownMs } = context.config;
  return { service: createSearchService(context), logger: context.logger, shutdownMs: drainDelayMs + shutdownMs };
});
