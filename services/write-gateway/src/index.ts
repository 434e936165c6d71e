import { readProcessEnv } from '@sluice/config';
import { runService } from '@sluice/http';
import { createContext, createGatewayService, gatewayEnv } from './service';

void runService(() => {
  const context = createContext(gatewayEnv.read(readProcessEnv()));
  return { service: createGatewayService(context), logger: context.logger, shutdownMs: context.config.shutdownMs };
});
