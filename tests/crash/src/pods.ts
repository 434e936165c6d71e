import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from '../../harness/api';

/** The pods of one release's services. */
export interface Pods {
  /** Names of the pods of a service that are not being deleted already. */
  list(service: string): Promise<readonly string[]>;
  /**
   * Has a pod deleted.
   * @param isForced without grace: the process gets at most the node's own two seconds
   */
  delete(name: string, isForced: boolean): Promise<void>;
}

/** Where Kubernetes puts what a pod may sign in with. */
const account = '/var/run/secrets/kubernetes.io/serviceaccount';

interface PodList {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly deletionTimestamp?: string } }[];
}

/** Asks the Kubernetes API as the ServiceAccount of this pod; NODE_EXTRA_CA_CERTS names the cluster's authority. */
export function openPods(release: string): Pods {
  const read = (name: string): string => readFileSync(join(account, name), 'utf8').trim();
  const url = `https://kubernetes.default.svc/api/v1/namespaces/${read('namespace')}/pods`;
  const headers = { authorization: `Bearer ${read('token')}` };
  return {
    list: async (service) => {
      const selector = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${service}`;
      const query = new URLSearchParams({ labelSelector: selector });
      const { items } = await call<PodList>(`${url}?${query.toString()}`, { method: 'GET', headers });
      return items.flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [metadata.name] : []));
    },
    delete: async (name, isForced) => {
      await call(`${url}/${name}`, { method: 'DELETE', headers, body: isForced ? { gracePeriodSeconds: 0 } : {} });
    },
  };
}
