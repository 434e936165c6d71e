import { readProcessEnv } from '@sluice/config';
import { runService } from '@sluice/http';
import { createContext, createManagementService, managementEnv } from './service';

void runService(() => {
  const context = createContext(managementEnv.read(readProcessEnv()));
  const { drainDelayMs, shutdownMs } = context.config;
  return { service: createManagementService(context), logger: context.logger, shutdownMs: drainDelayMs + shutdownMs };
});
