/** The bundler takes the stylesheet out of the script and makes a file of it. */
declare module '*.css';
