import { isRecord, valueAt } from '../manifest';
import { readYaml } from '../yaml-reader';

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
