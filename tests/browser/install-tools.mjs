/** `npm run browser:tools`: Debian's chromium, which the browser suites drive, and a font, without which its screenshots show boxes. */
import { installDebian } from '../setup/install-debian.mjs';

installDebian('chromium', ['chromium', 'fonts-inter']);
