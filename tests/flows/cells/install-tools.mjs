/** `npm run router:tools`: Debian's HAProxy. Its service starts with it, and listens nowhere until somebody configures it. */
import { installDebian } from '../../setup/install-debian.mjs';

installDebian('haproxy', ['haproxy']);
