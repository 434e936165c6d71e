/** Of the whole project: `npm run release:version` writes it. */
export const version = '0.3.0';
