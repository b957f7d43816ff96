import { readFileSync } from 'fs';
import { homedir } from 'os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'path';
import { parseDocument } from 'yaml';
import { isRecord } from '../../core/manifest/manifest';

/** More is no config that people write. */
const MAX_CHARACTERS = 10_000_000;

/**
 * The map that a YAML text holds. The error says where it is broken, never what stands there: there are credentials in it.
 */
export function parseYamlMap(text: string): { readonly [key: string]: unknown } {
  if (text.length > MAX_CHARACTERS) { throw new Error(`is longer than ${MAX_CHARACTERS} characters`); }
  const document = parseDocument(text, { logLevel: 'error' });
  const [error] = document.errors;
  if (error) {
    const place = error.linePos ? ` at line ${error.linePos[0].line}, column ${error.linePos[0].col}` : '';
    throw new Error(`is no YAML: ${error.code.toLowerCase().replace(/_/g, ' ')}${place}`);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new Error('is no YAML: its aliases can not be resolved');
  }
  if (!isRecord(value)) { throw new Error('is no map'); }
  return value;
}

/** The URL of a cluster in a kubeconfig; throws where credentials would be sent in the clear. */
export function serverOf(server: unknown): URL {
  if (typeof server !== 'string' || !URL.canParse(server)) { throw new Error('its cluster has no server that is a URL; give https://<host>[:<port>]'); }
  const url = new URL(server);
  if (url.protocol !== 'https:') {
    throw new Error(`its server has ${url.protocol}//, allowed is https://; credentials are never sent in the clear`);
  }
  if (url.username || url.password || url.search || url.hash) { throw new Error('its server has more than host, port and path; leave out user, query and fragment'); }
  return url;
}

/** A field that is text where it is there. */
export function textOf(fields: { readonly [field: string]: unknown }, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') { return undefined; }
  if (typeof value !== 'string') { throw new Error(`${field} is no text`); }
  return value;
}

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

type FieldsOfWrittenCredentials = { readonly [field: string]: unknown };

/** What a connection is signed and checked with, in PEM. */
export interface WrittenCredentials {
  readonly headers: { readonly [name: string]: string };
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** All that a user may have for its credentials to stand in the kubeconfig, or in files beside it. */
const WRITTEN: ReadonlySet<string> = new Set(['token', 'client-certificate', 'client-certificate-data', 'client-key', 'client-key-data']);

/** Whether a context says its credentials itself, as the kubeconfigs of Rancher and Harvester do; others are to be asked for. */
export function isWritten({ user }: Pick<KubeconfigContext, 'user'>): boolean {
  return Object.entries(user).every(([field, value]) => WRITTEN.has(field) || value === undefined || value === null || value === '');
}

/** The credentials of such a context; files are read anew each time, since certificates are renewed. */
export function writtenCredentials({ cluster, user }: Pick<KubeconfigContext, 'cluster' | 'user'>): WrittenCredentials {
  const token = textOf(user, 'token')?.trim();
  const [ca, cert, key] = [pemOf(cluster, 'certificate-authority'), pemOf(user, 'client-certificate'), pemOf(user, 'client-key')];
  return {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

/** What stands in the field itself counts more than a file, as for kubectl. */
function pemOf(fields: FieldsOfWrittenCredentials, field: string): string | undefined {
  const data = textOf(fields, `${field}-data`);
  const path = textOf(fields, field);
  if (data === undefined && path === undefined) { return undefined; }
  const text = data === undefined ? readFileSync(path!, 'utf8') : Buffer.from(data, 'base64').toString('utf8');
  if (!text.includes('-----BEGIN ')) { throw new Error(data === undefined ? `${path!} is no PEM` : `${field}-data is no PEM in base64`); }
  return text;
}
