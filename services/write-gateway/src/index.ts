import { readProcessEnv } from '@sluice/config';
import { runService } from '@sluice/http';
import { createContext, createGatewayService, gatewayEnv } from './service';

void runService(() => {
  const context = createContext(gatewayEnv.read(readProcessEnv()));
  const { drainDelayMs, shutdownMs } = context.config;
  return { service: createGatewayService(context), logger: context.logger, shutdownMs: drainDelayMs + shutdownMs };
});
