import { useState } from 'preact/hooks';
import { isOfLink, type Refusal } from './api';

/**
 * Sends what a form holds, once at a time, and keeps what was refused of it.
 * @param reload shows the link as it is, where it is not this browser's to use any more
 */
export function useSend(reload: () => Promise<void>) {
  const [refusal, setRefusal] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  /** @param work resolves to true when the browser leaves the page */
  const send = async (work: () => Promise<boolean | void>): Promise<void> => {
    setBusy(true);
    setRefusal(undefined);
    try {
      if ((await work()) === true) return;
    } catch (caught) {
      const refused = caught as Refusal;
      setRefusal(refused);
      if (isOfLink(refused)) await reload();
    }
    setBusy(false);
  };
  return { refusal, isBusy, send };
}
