import { isLocalServer } from './kubeconfig';
import { isLate } from '../late-token';
import { isRecord } from '../manifest';
import { Problem } from '../problem';
import { NoYaml, readYaml } from '../yaml-reader';

const FORM = 'give the kubeconfig as kubectl config view --minify --flatten --raw prints it';

// where these stand, they name files and programs of the machine that the kubeconfig comes from
const LOCAL_CLUSTER_FIELDS = ['certificate-authority'];
const LOCAL_USER_FIELDS = ['client-certificate', 'client-key', 'tokenFile', 'exec', 'auth-provider'];

/**
 * Whether another machine can use a kubeconfig: a node driver, a cloud provider. No problem ever shows a piece of it but the URL.
 */
export function checkUsableKubeconfig(path: string, text: string): Problem[] {
  if (isLate(text)) { return []; }
  const config = documentOf(text);
  if (typeof config === 'string') { return broken(path, config); }
  const context = entryOf(config.contexts, 'context', config['current-context']);
  if (!context) { return broken(path, 'has no current context, which says what it leads to'); }
  const cluster = entryOf(config.clusters, 'cluster', context.cluster);
  const user = entryOf(config.users, 'user', context.user);
  if (!cluster || !user) { return broken(path, `has a current context whose ${cluster ? 'user' : 'cluster'} it does not hold`); }
  const { server } = cluster;
  if (typeof server !== 'string' || server === '') { return broken(path, 'names no server in its current context'); }
  const local = [...LOCAL_CLUSTER_FIELDS.filter((field) => field in cluster), ...LOCAL_USER_FIELDS.filter((field) => field in user)];
  return [
    ...checkApiServer(path, server),
    ...local.map((field): Problem => ({
      path, message: `has "${field}", which is of use on the machine only that it comes from`, fix: 'give certificates and a token as data',
    })),
  ];
}

/**
 * Whether other machines can reach the API of a Harvester by a URL.
 */
export function checkApiServer(path: string, server: string): Problem[] {
  if (isLate(server)) { return []; }
  const fix = 'give https://<management address of the Harvester>:6443';
  if (!/^https:\/\/[^/]/i.test(server) || !URL.canParse(server)) {
    return [{ path, value: server, message: 'is no https URL', fix }];
  }
  if (!isLocalServer(server)) { return []; }
  return [{ path, value: server, message: 'is an address that every machine has for itself, so nobody else reaches the Harvester by it', fix }];
}

function documentOf(text: string): { readonly [key: string]: unknown } | string {
  let documents: unknown[];
  try {
    documents = readYaml(text);
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    return `is no kubeconfig: ${error.message}`;
  }
  const [config] = documents;
  if (typeof config === 'string' && /^[A-Za-z0-9+/\s]{40,}={0,2}\s*$/.test(text)) {
    return 'is in base64; the driver takes that, but not what marks the volumes of a deleted cluster for removal';
  }
  return documents.length === 1 && isRecord(config) && Array.isArray(config.clusters) ? config : 'is no kubeconfig';
}

function entryOf(list: unknown, kind: string, name: unknown): { readonly [key: string]: unknown } | undefined {
  const entry = Array.isArray(list) ? list.find((item) => isRecord(item) && item.name === name) : undefined;
  const value = isRecord(entry) ? entry[kind] : undefined;
  return isRecord(value) ? value : undefined;
}

function broken(path: string, message: string): Problem[] {
  return [{ path, message, fix: FORM }];
}
