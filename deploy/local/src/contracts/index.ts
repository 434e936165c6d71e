import type { BuiltDocument } from '@sluice/http';
import type { ApiName } from './read-documents';

/** Loaded when they are called: they bring the services along. */

/** See generated-files.ts. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  return await (await import('./generated-files.js')).generatedFiles();
}

/** See read-documents.ts. */
export async function readDocuments(): Promise<Record<ApiName, BuiltDocument>> {
  return await (await import('./read-documents.js')).readDocuments();
}
