import { stopSharedStacks } from './start-shared-stacks';

/** jest globalTeardown. */
export default stopSharedStacks;
