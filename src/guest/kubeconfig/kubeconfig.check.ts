import { isLate } from '../../core/late/late-token';
import { isRecord, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';

/** What a kubeconfig says of the one cluster that its current context names. */
export interface KubeconfigView {
  readonly server?: string;
  /** Of the current context; undefined where none stands there. */
  readonly namespace?: string;
  /** Never to be shown. */
  readonly token?: string;
}

/** Rancher's names of tokens in kubeconfigs that it made: they stand before the colon of the token. */
const RANCHER_TOKEN = /^(kubeconfig-u(?:ser)?-[a-z0-9]+):/;

const LOCAL = /^(127\.|localhost$|\[?::1\]?$|0\.0\.0\.0$)/;

/**
 * Reads a kubeconfig; undefined where the text is none.
 */
export function readKubeconfig(text: string): KubeconfigView | undefined {
  let config: unknown;
  try {
    [config] = readYaml(text);
  } catch {
    return undefined;
  }
  if (!isRecord(config) || !Array.isArray(config.clusters)) { return undefined; }
  const context = valueAt(named(config.contexts, config['current-context']), 'context');
  const server = valueAt(named(config.clusters, valueAt(context, 'cluster')) ?? config.clusters[0], 'cluster', 'server');
  const namespace = valueAt(context, 'namespace');
  const token = valueAt(named(config.users, valueAt(context, 'user')), 'user', 'token');
  return {
    ...(typeof server === 'string' ? { server } : {}),
    ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
    ...(typeof token === 'string' ? { token } : {}),
  };
}

function named(list: unknown, name: unknown): unknown {
  return Array.isArray(list) ? list.find((item) => isRecord(item) && item.name === name) : undefined;
}

/** Whether an address is one that means something else on every machine. */
export function isLocalServer(server: string): boolean {
  const host = /^[a-z]+:\/\/(\[[^\]]*\]|[^/:]*)/i.exec(server)?.[1] ?? '';
  return LOCAL.test(host.toLowerCase());
}

/** The name of Rancher's token in a kubeconfig that Rancher made; the secret part stays out of it. */
export function rancherTokenName({ token }: KubeconfigView): string | undefined {
  return token === undefined ? undefined : RANCHER_TOKEN.exec(token)?.[1];
}

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
