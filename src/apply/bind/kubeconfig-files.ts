import { readFileSync } from 'fs';
import { homedir } from 'os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'path';
import { parseYamlMap } from './parse-yaml';
import { isRecord } from '../../model/manifest';

type Fields = { readonly [field: string]: unknown };

/** A context of kubeconfig files with the cluster and the user that it names, as they stand there; paths are absolute. */
export interface KubeconfigContext {
  readonly name: string;
  readonly cluster: Fields;
  /** Empty where the context has none. */
  readonly user: Fields;
}

/** All contexts of the kubeconfig files that were asked for. */
export interface Kubeconfig {
  /** The files, for people. */
  readonly from: string;
  /** Whether none of the files is there. */
  readonly isMissing: boolean;
  readonly contexts: ReadonlyMap<string, KubeconfigContext | Error>;
}

/** Fields that hold the path of a file. */
const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/**
 * Reads kubeconfigs as kubectl does: the file that is asked for, or all of KUBECONFIG that are there, or ~/.kube/config. What stands in more than
 * one file is taken from the first.
 */
export function readKubeconfig(file: string | undefined, env: NodeJS.ProcessEnv, cwd: string): Kubeconfig {
  if (file !== undefined) {
    const path = resolve(cwd, file);
    return merge(file, [[path, readFile(path) ?? missing(file)]]);
  }
  const list = (env.KUBECONFIG ?? '').split(delimiter).filter((name) => name !== '');
  const paths = list.length > 0 ? list.map((name) => resolve(cwd, name)) : [join(env.HOME || homedir(), '.kube', 'config')];
  const texts = paths.flatMap((path): [string, string][] => {
    const text = readFile(path);
    return text === undefined ? [] : [[path, text]];
  });
  const from = list.length > 0 ? `KUBECONFIG (${paths.join(', ')})` : paths[0];
  return merge(from, texts);
}

function missing(file: string): never {
  throw new Error(`${file}: no such file; name the kubeconfig that holds the contexts`);
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') { return undefined; }
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

function merge(from: string, texts: readonly (readonly [path: string, text: string])[]): Kubeconfig {
  const [clusters, users, contexts] = [new Map<string, Fields>(), new Map<string, Fields>(), new Map<string, Fields>()];
  for (const [path, text] of texts) {
    try {
      const config = text.trim() === '' ? {} : parseYamlMap(text);
      addAll(config, 'clusters', 'cluster', clusters, (fields) => absolute(fields, dirname(path)));
      addAll(config, 'users', 'user', users, (fields) => absolute(fields, dirname(path)));
      addAll(config, 'contexts', 'context', contexts, (fields) => fields);
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`);
    }
  }
  return {
    from,
    isMissing: texts.length === 0,
    contexts: new Map([...contexts].map(([name, fields]): [string, KubeconfigContext | Error] => {
      const cluster = clusters.get(String(fields.cluster));
      const user = fields.user === undefined || fields.user === '' ? {} : users.get(String(fields.user));
      if (!cluster) { return [name, new Error(`context ${name}: its cluster ${String(fields.cluster)} is not in ${from}`)]; }
      if (!user) { return [name, new Error(`context ${name}: its user ${String(fields.user)} is not in ${from}`)]; }
      return [name, { name, cluster, user }];
    })),
  };
}

function addAll(config: Fields, list: string, field: string, to: Map<string, Fields>, make: (fields: Fields) => Fields): void {
  const entries: unknown = config[list] ?? [];
  if (!Array.isArray(entries)) { throw new Error(`${list} is no list`); }
  for (const entry of entries) {
    if (!isRecord(entry) || typeof entry.name !== 'string') { throw new Error(`an entry of ${list} has no name`); }
    const fields = entry[field] ?? {};
    if (!isRecord(fields)) { throw new Error(`${field} of ${entry.name} is no map`); }
    // the first one wins, as for kubectl
    if (!to.has(entry.name)) { to.set(entry.name, make(fields)); }
  }
}

// paths are relative to the file they stand in; so is a command that is a path
function absolute(fields: Fields, folder: string): Fields {
  const result: { [field: string]: unknown } = { ...fields };
  for (const field of PATHS) {
    const path = result[field];
    if (typeof path === 'string' && path !== '' && !isAbsolute(path)) { result[field] = join(folder, path); }
  }
  const { exec } = result;
  if (isRecord(exec) && typeof exec.command === 'string' && /[/\\]/.test(exec.command) && !isAbsolute(exec.command)) {
    result.exec = { ...exec, command: join(folder, exec.command) };
  }
  return result;
}
