import { existsSync, readFileSync } from 'fs';
import { homedir } from 'os';
import { dirname, isAbsolute, join, resolve } from 'path';
import { parseYamlMap } from './kubeconfig-files';
import { isRecord } from '../../core/manifest/manifest';

/** The file in the current folder that names the contexts of targets. */
export const CONFIG_FILE = 'cdk8s-harvester.yaml';

/** Where a target is found, as the config file says. */
export interface ConfiguredTarget {
  readonly context?: string;
  readonly kubeconfig?: string;
}

/** The config file: no secret is in it, so it may be committed. */
export interface BindingConfig {
  readonly file?: string;
  readonly targets: ReadonlyMap<string, ConfiguredTarget>;
}

const EXAMPLE = 'expected e.g. {targets: {rancher: {context: prod-rancher, kubeconfig: ./rancher.yaml}}}';

/**
 * Reads the config file:
 *
 * ```yaml
 * targets:
 *   rancher:
 *     context: prod-rancher
 *   dc1:
 *     context: default
 *     kubeconfig: ./dc1.yaml   # relative to this file
 * ```
 *
 * @param file that must be there; where it is undefined, the one of the current folder is read where it is there
 */
export function readConfigFile(file: string | undefined, cwd: string): BindingConfig {
  const path = resolve(cwd, file ?? CONFIG_FILE);
  if (file === undefined && !existsSync(path)) { return { targets: new Map() }; }
  try {
    return { file: path, targets: targetsOf(parseYamlMap(readFileSync(path, 'utf8')), dirname(path)) };
  } catch (error) {
    throw new Error(`${file ?? CONFIG_FILE}: ${(error as Error).message}`);
  }
}

function targetsOf(config: { readonly [key: string]: unknown }, folder: string): Map<string, ConfiguredTarget> {
  onlyKeys('', config, ['targets']);
  const targets = config.targets ?? {};
  if (!isRecord(targets)) { throw new Error(`targets: got no map; ${EXAMPLE}`); }
  return new Map(Object.entries(targets).map(([name, value]): [string, ConfiguredTarget] => {
    const path = `targets.${name}`;
    if (!isRecord(value)) { throw new Error(`${path}: got no map; ${EXAMPLE}`); }
    onlyKeys(path, value, ['context', 'kubeconfig']);
    const context = textOf(path, 'context', value);
    const kubeconfig = textOf(path, 'kubeconfig', value);
    return [name, { ...(context ? { context } : {}), ...(kubeconfig ? { kubeconfig: fileOf(kubeconfig, folder) } : {}) }];
  }));
}

function onlyKeys(path: string, map: object, allowed: readonly string[]): void {
  const unknown = Object.keys(map).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) { throw new Error(`${path ? `${path}: ` : ''}got ${unknown.join(', ')}, allowed are ${allowed.join(' and ')}; ${EXAMPLE}`); }
}

function textOf(path: string, key: string, map: { readonly [key: string]: unknown }): string | undefined {
  const value = map[key];
  if (value === undefined) { return undefined; }
  if (typeof value !== 'string' || value === '') { throw new Error(`${path}.${key}: got no text; ${EXAMPLE}`); }
  return value;
}

function fileOf(path: string, folder: string): string {
  if (path.startsWith('~/')) { return join(homedir(), path.slice(2)); }
  return isAbsolute(path) ? path : join(folder, path);
}
