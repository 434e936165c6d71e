import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './contracts/generated-files';
import { repositoryRoot } from './repository-root';

/** `npm run generate:client`: writes the OpenAPI documents and the code of the client. @returns the exit code */
export async function run(): Promise<number> {
  for (const [path, text] of Object.entries(await generatedFiles())) {
    writeFileSync(join(repositoryRoot, path), text);
    process.stdout.write(`${path}\n`);
  }
  return 0;
}
