import { join } from 'node:path';
import { build } from 'esbuild';

/** The page with the published library in it, as a builder's bundler would make it. `apiUrl` is without `/v1`. */
export async function bundlePage(apiUrl: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(__dirname, 'page.tsx')],
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    logLevel: 'error',
    // The library reads its server here, once, when it is loaded; it appends `/v1`.
    define: {
      'process.env.REACT_APP_AMP_SERVER': JSON.stringify(apiUrl),
      'process.env.NODE_ENV': '"production"',
    },
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild made no file');
  return file.text;
}
