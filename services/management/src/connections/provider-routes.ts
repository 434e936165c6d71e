import { providerInfo } from '@sluice/connectors';
import { json, route, type Router } from '@sluice/http';
import { providerCatalogueSchema, providerInfoSchema } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getProvider } from './get-provider';
import { noQuery } from '../paths';

interface ProviderParts {
  readonly params: { provider: string };
}

/** `GET /v1/providers` and `GET /v1/providers/{provider}`, for anybody. */
export function providerRoutes(router: Router, context: ManagementContext): void {
  router.get(
    '/v1/providers',
    route({
      operationId: 'listProviders',
      summary: 'List providers',
      description: 'A map from name to provider.',
      tags: ['Providers'],
      replies: { 200: json(providerCatalogueSchema) },
      query: noQuery,
      handle: () => {
        const connectors = context.connectors.all();
        return { body: Object.fromEntries(connectors.map((one) => [one.provider, providerInfo(one)])) };
      },
    }),
  );
  router.get(
    '/v1/providers/:provider',
    route<ProviderParts>({
      operationId: 'getProvider',
      summary: 'Get a provider',
      tags: ['Providers'],
      replies: { 200: json(providerInfoSchema) },
      problems: ['provider.not-in-catalogue'],
      query: noQuery,
      handle: ({ params }) => ({ body: providerInfo(getProvider(context, params.provider)) }),
    }),
  );
}
