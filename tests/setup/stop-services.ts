import { stopServices } from './start-services';

/** jest globalTeardown. */
export default stopServices;
