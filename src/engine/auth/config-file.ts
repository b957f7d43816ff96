import { existsSync, readFileSync } from 'fs';
import { BlockList, isIP, isIPv6 } from 'net';
import { homedir } from 'os';
import { dirname, isAbsolute, join, resolve } from 'path';
import { ProcessEnvironment, parseYamlMap } from './kubeconfig-files';
import { readTakeOver, TAKE_OVER_FILE } from './take-over';
import { isRecord } from '../../core/manifest/manifest';
import { adoptionOf } from '../fields/managed-fields';

/**
 * The proxy for a server: of the kubeconfig, or of the environment, by the rules of kubectl.
 * @see golang/net:http/httpproxy/proxy.go
 */
export function proxyFor(
  server: URL,
  proxyUrl: string | undefined,
  env: ProcessEnvironment,
): URL | undefined {
  if (proxyUrl) {
    return proxy('proxy-url of the kubeconfig', proxyUrl);
  }
  const given = env.HTTPS_PROXY || env.https_proxy;
  if (!given || isExempt(server, env.NO_PROXY || env.no_proxy || '')) {
    return undefined;
  }
  return proxy('HTTPS_PROXY', given.includes('://') ? given : `http://${given}`);
}

function proxy(what: string, text: string): URL {
  // never shown: it may contain a password
  if (!URL.canParse(text)) {
    throw new Error(`${what}: must be a URL. Fix: use e.g. http://proxy.example.com:3128`);
  }
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new Error(
      `${what}: must be an http or https proxy, got ${url.protocol.replace(':', '')}. Fix: use e.g. http://proxy.example.com:3128`,
    );
  }
  return url;
}

function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (host === 'localhost' || host === '::1' || /^127\./.test(host)) {
    return true;
  }
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') {
        return true;
      }
      const [, name, port] = /^(.*?)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry)!;
      if (port && port !== (server.port || '443')) {
        return false;
      }
      const bare = name.replace(/^\[(.*)\]$/, '$1').replace(/^\*(?=\.)/, '');
      if (bare.includes('/')) {
        return isWithin(host, bare);
      }
      return bare.startsWith('.')
        ? host.endsWith(bare)
        : host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`));
    });
}

function isWithin(host: string, range: string): boolean {
  const [network, bits] = range.split('/');
  if (
    isIP(host) === 0 ||
    isIP(network) !== isIP(host) ||
    !/^\d{1,3}$/.test(bits) ||
    Number(bits) > (isIPv6(network) ? 128 : 32)
  ) {
    return false;
  }
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const ranges = new BlockList();
  ranges.addSubnet(network, Number(bits), family);
  return ranges.check(host, family);
}

/**
 * The file in the current folder that names the contexts of targets, and what no program manages.
 */
export const CONFIG_FILE = 'cdk8s-harvester.yaml';

/** The context of a target in the config file. */
interface ConfiguredTarget {
  readonly context?: string;
  readonly kubeconfig?: string;
}

/** What an entry of `ignore` selects objects by. */
const IGNORE_KEYS = ['target', 'kind', 'namespace', 'name', 'label'] as const;

/**
 * Objects that the program deliberately does not manage: those that match all keys that are set.
 */
export interface IgnoreEntry extends Partial<
  Readonly<Record<(typeof IGNORE_KEYS)[number], string>>
> {
  /** Why the program does not manage them. */
  readonly reason: string;
}

/** The config file. It contains no secrets, so it can be committed. */
export interface BindingConfig {
  readonly file?: string;
  readonly targets: ReadonlyMap<string, ConfiguredTarget>;
  readonly ignore: readonly IgnoreEntry[];
  /** The app of the program. @default - that of the option, or `default` */
  readonly app?: string;
  /** What the file of `takeOver` lets an apply adopt, each as `<id>=<uid>`. */
  readonly takeOver: readonly string[];
}

const EXAMPLE =
  'Example: {targets: {rancher: {context: prod-rancher, kubeconfig: ./rancher.yaml}}}';
const IGNORE_EXAMPLE =
  'Example: {ignore: [{target: dc1, kind: VirtualMachine, namespace: lab, reason: the lab creates them}]}';

/**
 * Reads the config file:
 *
 * ```yaml
 * app: shop                  # as --app
 * targets:
 *   rancher:
 *     context: prod-rancher
 *   dc1:
 *     context: default
 *     kubeconfig: ./dc1.yaml   # relative to this file
 * ignore:
 *   - target: dc1
 *     kind: VirtualMachine
 *     name: test-*
 *     reason: the lab creates and deletes them
 * takeOver: take-over.yaml   # what the first apply adopts, as adopt wrote it
 * ```
 *
 * @param file must exist; if undefined, the one in the current folder is read if it exists
 */
export function readConfigFile(file: string | undefined, cwd: string): BindingConfig {
  const path = resolve(cwd, file ?? CONFIG_FILE);
  if (file === undefined && !existsSync(path)) {
    return { targets: new Map(), ignore: [], takeOver: [] };
  }
  try {
    const config = parseYamlMap(readFileSync(path, 'utf8'));
    onlyKeys('', config, ['app', 'targets', 'ignore', 'takeOver'], EXAMPLE);
    const app = textOf('', 'app', config, 'Example: {app: shop}');
    return {
      file: path,
      ...(app === undefined ? {} : { app }),
      targets: targetsOf(config, dirname(path)),
      ignore: ignoreOf(config),
      takeOver: takeOverOf(config, dirname(path)),
    };
  } catch (error) {
    throw new Error(`${file ?? CONFIG_FILE}: ${(error as Error).message}`);
  }
}

function targetsOf(
  config: { readonly [key: string]: unknown },
  folder: string,
): Map<string, ConfiguredTarget> {
  const targets = config.targets ?? {};
  if (!isRecord(targets)) {
    throw new Error(`targets: must be a map. ${EXAMPLE}`);
  }
  return new Map(
    Object.entries(targets).map(([name, value]): [string, ConfiguredTarget] => {
      const path = `targets.${name}`;
      if (!isRecord(value)) {
        throw new Error(`${path}: must be a map. ${EXAMPLE}`);
      }
      onlyKeys(path, value, ['context', 'kubeconfig'], EXAMPLE);
      const context = textOf(path, 'context', value, EXAMPLE);
      const kubeconfig = textOf(path, 'kubeconfig', value, EXAMPLE);
      return [
        name,
        {
          ...(context ? { context } : {}),
          ...(kubeconfig ? { kubeconfig: fileOf(kubeconfig, folder) } : {}),
        },
      ];
    }),
  );
}

function takeOverOf(
  config: { readonly [key: string]: unknown },
  folder: string,
): readonly string[] {
  const file = textOf('', 'takeOver', config, `Example: {takeOver: ${TAKE_OVER_FILE}}`);
  return file === undefined
    ? []
    : readTakeOver(fileOf(file, folder)).map(({ id, uid }) => adoptionOf(id, uid));
}

function ignoreOf({ ignore = [] }: { readonly [key: string]: unknown }): IgnoreEntry[] {
  if (!Array.isArray(ignore)) {
    throw new Error(`ignore: must be a list. ${IGNORE_EXAMPLE}`);
  }
  return ignore.map((value: unknown, index): IgnoreEntry => {
    const path = `ignore[${index}]`;
    if (!isRecord(value)) {
      throw new Error(`${path}: must be a map. ${IGNORE_EXAMPLE}`);
    }
    onlyKeys(path, value, [...IGNORE_KEYS, 'reason'], IGNORE_EXAMPLE);
    const keys = IGNORE_KEYS.flatMap((key) => {
      const text = textOf(path, key, value, IGNORE_EXAMPLE);
      return text === undefined ? [] : [[key, text] as const];
    });
    const reason = textOf(path, 'reason', value, IGNORE_EXAMPLE);
    if (reason === undefined) {
      throw new Error(
        `${path}.reason: is missing. Fix: state why the program does not manage these objects. ${IGNORE_EXAMPLE}`,
      );
    }
    if (keys.length === 0) {
      throw new Error(
        `${path}: must select objects by ${IGNORE_KEYS.join(', ')}. ${IGNORE_EXAMPLE}`,
      );
    }
    return { ...Object.fromEntries(keys), reason };
  });
}

function onlyKeys(path: string, map: object, allowed: readonly string[], example: string): void {
  const unknown = Object.keys(map).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) {
    throw new Error(
      `${path ? `${path}: ` : ''}must contain only ${allowed.join(', ').replace(/, (?=[^,]*$)/, ' and ')}, got ${unknown.join(', ')}. ${example}`,
    );
  }
}

function textOf(
  path: string,
  key: string,
  map: { readonly [key: string]: unknown },
  example: string,
): string | undefined {
  const value = map[key];
  if (value === undefined) {
    return undefined;
  }
  if (typeof value !== 'string' || value === '') {
    throw new Error(`${path}.${key}: must be a text. ${example}`);
  }
  return value;
}

function fileOf(path: string, folder: string): string {
  if (path.startsWith('~/')) {
    return join(homedir(), path.slice(2));
  }
  return isAbsolute(path) ? path : join(folder, path);
}
