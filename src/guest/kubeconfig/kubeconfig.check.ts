import { isLate } from '../../core/late/late-token';
import { isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { tryYaml } from '../../core/yaml/yaml-reader';

/** The cluster and user of the current context of a kubeconfig. */
export interface KubeconfigView {
  readonly server?: string;
  /** The namespace of the current context; undefined if it is not set. */
  readonly namespace?: string;
  /** The token of the user; never print it. */
  readonly token?: string;
}

/** The names of tokens in Rancher's kubeconfigs: the part before the colon of the token. */
const RANCHER_TOKEN = /^(kubeconfig-u(?:ser)?-[a-z0-9]+):/;

const LOCAL = /^(127\.|localhost$|\[?::1\]?$|0\.0\.0\.0$)/;

/** Reads a kubeconfig; undefined if the text is not a kubeconfig. */
export function viewKubeconfig(text: string): KubeconfigView | undefined {
  const [config] = tryYaml(text).documents ?? [];
  if (!isRecord(config) || !Array.isArray(config.clusters)) {
    return undefined;
  }
  const context = valueAt(named(config.contexts, config['current-context']), 'context');
  const server = valueAt(
    named(config.clusters, valueAt(context, 'cluster')) ?? config.clusters[0],
    'cluster',
    'server',
  );
  const namespace = valueAt(context, 'namespace');
  const token = valueAt(named(config.users, valueAt(context, 'user')), 'user', 'token');
  return {
    ...(typeof server === 'string' ? { server } : {}),
    ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
    ...(typeof token === 'string' ? { token } : {}),
  };
}

function named(list: unknown, name: unknown): unknown {
  return itemsAt(list).find((item) => isRecord(item) && item.name === name);
}

/** Whether an address refers to the local machine. */
export function isLocalServer(server: string): boolean {
  const host = /^[a-z]+:\/\/(\[[^\]]*\]|[^/:]*)/i.exec(server)?.[1] ?? '';
  return LOCAL.test(host.toLowerCase());
}

/** The name of the token in a kubeconfig of Rancher, without its secret part. */
export function rancherTokenName({ token }: KubeconfigView): string | undefined {
  return token === undefined ? undefined : RANCHER_TOKEN.exec(token)?.[1];
}

const FORM = 'use the output of kubectl config view --minify --flatten --raw';

// these fields refer to files and programs of the machine that the kubeconfig comes from
const LOCAL_CLUSTER_FIELDS = ['certificate-authority'];
const LOCAL_USER_FIELDS = [
  'client-certificate',
  'client-key',
  'tokenFile',
  'exec',
  'auth-provider',
];

/**
 * Checks that other machines, e.g. a node driver or a cloud provider, can use a kubeconfig.
 * Findings never show any part of it but the URL.
 */
export function checkUsableKubeconfig(path: string, text: string): Problem[] {
  if (isLate(text)) {
    return [];
  }
  const config = documentOf(text);
  if (typeof config === 'string') {
    return broken(path, config);
  }
  const context = entryOf(config.contexts, 'context', config['current-context']);
  if (!context) {
    return broken(path, 'must have a current context');
  }
  const cluster = entryOf(config.clusters, 'cluster', context.cluster);
  const user = entryOf(config.users, 'user', context.user);
  if (!cluster || !user) {
    return broken(path, `must contain the ${cluster ? 'user' : 'cluster'} of its current context`);
  }
  const { server } = cluster;
  if (typeof server !== 'string' || server === '') {
    return broken(path, 'must have a server in its current context');
  }
  const local = [
    ...LOCAL_CLUSTER_FIELDS.filter((field) => field in cluster),
    ...LOCAL_USER_FIELDS.filter((field) => field in user),
  ];
  return [
    ...checkApiServer(path, server),
    ...local.map((field): Problem => ({
      path,
      message: `must not contain "${field}", which works only on the machine that it comes from`,
      fix: 'embed certificates and a token as data',
    })),
  ];
}

/** Checks that other machines can reach the API of a Harvester cluster at a URL. */
export function checkApiServer(path: string, server: string): Problem[] {
  if (isLate(server)) {
    return [];
  }
  const fix = 'use https://<management address of the Harvester cluster>:6443';
  if (!/^https:\/\/[^/]/i.test(server) || !URL.canParse(server)) {
    return [{ path, value: server, message: 'must be an https URL', fix }];
  }
  if (!isLocalServer(server)) {
    return [];
  }
  return [
    {
      path,
      value: server,
      message: 'must not be a local address, at which other machines do not reach Harvester',
      fix,
    },
  ];
}

function documentOf(text: string): { readonly [key: string]: unknown } | string {
  const { documents, fault } = tryYaml(text);
  if (!documents) {
    return `must be a kubeconfig: ${fault}`;
  }
  const [config] = documents;
  if (typeof config === 'string' && /^[A-Za-z0-9+/\s]{40,}={0,2}\s*$/.test(text)) {
    return 'must not be encoded in base64: Rancher could not mark the volumes of a deleted cluster for deletion';
  }
  return documents.length === 1 && isRecord(config) && Array.isArray(config.clusters)
    ? config
    : 'must be a kubeconfig';
}

function entryOf(
  list: unknown,
  kind: string,
  name: unknown,
): { readonly [key: string]: unknown } | undefined {
  const entry = itemsAt(list).find((item) => isRecord(item) && item.name === name);
  const value = isRecord(entry) ? entry[kind] : undefined;
  return isRecord(value) ? value : undefined;
}

function broken(path: string, message: string): Problem[] {
  return [{ path, message, fix: FORM }];
}
