export type { Express, Request, RequestHandler, Response } from 'express';
export { contractOfApp, createApp } from './create-app';
export { refName, sampleOf } from './contract/sample';
export { json, jsonList, noBody, text, type Replies, type ReplyContract } from './contract/route-contract';
export type {
  ApiInfo,
  BuiltDocument,
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
} from './contract/route-contract';
export { authenticator, pageHeader, RequestLimits, scopeCheck } from './authenticator';
export { InboundError, escapeHtml } from './problem-handler';
export { pageReply, readPageFiles } from './page-files';
export { parseJson } from './read-body';
export { invalid, route, validate, type Reply, type RouteOptions, type RouteRequest } from './route';
export type { ParametersOf, Router } from './router';
export { filterText, offByDefault, queryOf, routesUnder, type Routes } from './routes-under';
export { createService, runService, type ApiService, type RunnableService } from './run-service';
export { jsonText, listText, sendJson } from './send-reply';
export { ListenError, startServer, type HttpServer } from './start-server';
