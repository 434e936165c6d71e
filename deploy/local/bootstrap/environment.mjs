import { delimiter, dirname } from 'node:path';
import process from 'node:process';
import { workspaceNode } from './paths.mjs';

/** What `npm run` adds is about npm's own call and would steer a package manager below it. */
const added = /^npm_(config|package|lifecycle|command|execpath|node_execpath|old_)/i;

/** How a machine reaches its registry, and where it keeps what it fetched, stays. */
const kept =
  /^npm_config_(@[^:]*:)?(registry|userconfig|globalconfig|ca|cafile|cert|key|strict_ssl|(https?_)?proxy|noproxy|cache|store_dir|offline|prefer_offline|fetch_.*|maxsockets)$|^npm_config_(\/\/|_auth)/i;

/** Our environment without npm's additions. */
export function plainEnvironment(env = process.env) {
  const own = Object.entries(env).filter(([name]) => kept.test(name.replaceAll('-', '_')) || !added.test(name));
  // pnpm's start scripts set it, and every package could then import what it does not declare.
  return Object.fromEntries(own.filter(([name]) => name !== 'NODE_PATH'));
}

/** The same, with the workspace's Node as `node`. */
export function childEnvironment() {
  const env = plainEnvironment();
  return { ...env, PATH: [dirname(workspaceNode), env.PATH].filter(Boolean).join(delimiter) };
}
