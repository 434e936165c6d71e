import { readProcessEnv } from '@sluice/config';
import { runService } from '@sluice/http';
import { createContext, createManagementService, managementEnv } from './service';

void runService(() => {
  const context = createContext(managementEnv.read(readProcessEnv()));
  return { service: createManagementService(context), logger: context.logger, shutdownMs: context.config.shutdownMs };
});
