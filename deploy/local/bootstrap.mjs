/**
 * The way into a checkout: `node deploy/local/bootstrap.mjs <command> [args]`, on any Node from 20 on, with nothing
 * installed. Installs and compiles when needed, then runs the command under the workspace's own Node.
 * Words of Node 12 only, and the rest is imported late: an older one would stop at a newer word before it has read which Node is needed.
 */
import process from 'node:process';

/** The package manager's npm requires it, with a message that does not help. README names it. */
const oldestNode = 20;

if (Number.parseInt(process.versions.node) < oldestNode) {
  const here = `This is Node ${process.versions.node}, of ${process.execPath}.`;
  const remedy = `Install one, or run the same with: npx node@24 deploy/local/bootstrap.mjs ${process.argv[2] || 'start'}`;
  process.stderr.write(`Sluice is installed and started with Node ${oldestNode} or later. ${here}\n${remedy}\n`);
  process.exitCode = 2;
} else {
  // Of a command that ends without saying how.
  process.exitCode = 13;
  void import('./bootstrap/main.mjs');
}
