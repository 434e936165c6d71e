export { run } from './certify-command';
