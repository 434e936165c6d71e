import { argument, option, type Group } from '../command';

const load = () => import('../profiles/change-profiles.js');

/** `sluice profile`. */
export const profile: Group = {
  about: 'where commands go, and with which key',
  commands: {
    list: { about: 'list the profiles', run: async (options) => (await load()).list(options) },
    add: {
      about: 'add or replace a profile, and use it; the key is asked for, or read from standard input',
      takes: [
        argument('<name>'),
        option('--url <url>', 'management address: https://sluice.example.com/v1'),
        option('--write-url <url>', 'write address, for sluice write: https://write.sluice.example.com/v1'),
        option('--search-url <url>', 'search address, for sluice mcp: https://search.sluice.example.com/v1'),
        option('--demo <file>', 'address and key of .sluice/demo.json, which npm start writes'),
      ],
      run: async (options, name) => (await load()).add(options, name),
    },
    use: {
      about: 'use a profile from now on',
      takes: [argument('<profile>')],
      run: async (options, name) => (await load()).use(options, name),
    },
    remove: {
      about: 'forget a profile and its key',
      takes: [argument('<profile>')],
      run: async (options, name) => (await load()).remove(options, name),
    },
  },
};
