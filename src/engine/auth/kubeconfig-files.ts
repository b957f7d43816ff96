import { readFileSync } from 'fs';
import { homedir } from 'os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'path';
import { parseDocument } from 'yaml';
import { isRecord } from '../../core/manifest/manifest';

/** Size limit of a config file. */
const MAX_CHARACTERS = 10_000_000;

/**
 * Reads a YAML text with a map. Errors name the place, never the content, which may contain
 * credentials.
 */
export function parseYamlMap(text: string): { readonly [key: string]: unknown } {
  if (text.length > MAX_CHARACTERS) {
    throw new Error(`must have at most ${MAX_CHARACTERS} characters`);
  }
  const document = parseDocument(text, { logLevel: 'error' });
  const [error] = document.errors;
  if (error) {
    const place = error.linePos
      ? ` at line ${error.linePos[0].line}, column ${error.linePos[0].col}`
      : '';
    throw new Error(`is not valid YAML: ${error.code.toLowerCase().replace(/_/g, ' ')}${place}`);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new Error('is not valid YAML: its aliases cannot be resolved');
  }
  if (!isRecord(value)) {
    throw new Error('must be a map');
  }
  return value;
}

/** The URL of a cluster in a kubeconfig. Throws if credentials would be sent in plain text. */
export function serverOf(server: unknown): URL {
  if (typeof server !== 'string' || !URL.canParse(server)) {
    throw new Error('server of its cluster must be https://<host>[:<port>]');
  }
  const url = new URL(server);
  if (url.protocol !== 'https:') {
    throw new Error(
      `its server must use https://, got ${url.protocol}//: credentials are never sent in plain text`,
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Error(
      'its server must have only host, port and path. Fix: remove user, query and fragment',
    );
  }
  return url;
}

/** An optional field, which must be a text. */
export function kubeconfigField(
  fields: { readonly [field: string]: unknown },
  field: string,
): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') {
    return undefined;
  }
  if (typeof value !== 'string') {
    throw new Error(`${field} must be a text`);
  }
  return value;
}

type Fields = { readonly [field: string]: unknown };

/** A context of kubeconfig files with its cluster and user; paths are absolute. */
export interface KubeconfigContext {
  readonly name: string;
  readonly cluster: Fields;
  /** Empty if the context has none. */
  readonly user: Fields;
}

/** All contexts of the requested kubeconfig files. */
export interface Kubeconfig {
  /** The files, for messages. */
  readonly from: string;
  /** Whether none of the files exists. */
  readonly isMissing: boolean;
  readonly contexts: ReadonlyMap<string, KubeconfigContext | Error>;
}

/** Fields with the path of a file. */
const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/** Environment variables by name. */
export interface ProcessEnvironment {
  readonly [name: string]: string | undefined;
}

/**
 * Reads kubeconfigs like kubectl: the given file, or the existing files of KUBECONFIG, or
 * ~/.kube/config. The first definition of a name wins.
 */
export function readKubeconfigFiles(
  file: string | undefined,
  env: ProcessEnvironment,
  cwd: string,
): Kubeconfig {
  if (file !== undefined) {
    const path = resolve(cwd, file);
    return merge(file, [[path, readFile(path) ?? missing(file)]]);
  }
  const list = (env.KUBECONFIG ?? '').split(delimiter).filter((name) => name !== '');
  const paths =
    list.length > 0
      ? list.map((name) => resolve(cwd, name))
      : [join(env.HOME || homedir(), '.kube', 'config')];
  const texts = paths.flatMap((path): [string, string][] => {
    const text = readFile(path);
    return text === undefined ? [] : [[path, text]];
  });
  const from = list.length > 0 ? `KUBECONFIG (${paths.join(', ')})` : paths[0];
  return merge(from, texts);
}

function missing(file: string): never {
  throw new Error(`${file}: does not exist. Fix: set the kubeconfig that contains the contexts`);
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

function merge(
  from: string,
  texts: readonly (readonly [path: string, text: string])[],
): Kubeconfig {
  const [clusters, users, contexts] = [
    new Map<string, Fields>(),
    new Map<string, Fields>(),
    new Map<string, Fields>(),
  ];
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
    contexts: new Map(
      [...contexts].map(([name, fields]): [string, KubeconfigContext | Error] => {
        const cluster = clusters.get(String(fields.cluster));
        const user =
          fields.user === undefined || fields.user === '' ? {} : users.get(String(fields.user));
        if (!cluster) {
          return [
            name,
            new Error(`context ${name}: its cluster ${String(fields.cluster)} is not in ${from}`),
          ];
        }
        if (!user) {
          return [
            name,
            new Error(`context ${name}: its user ${String(fields.user)} is not in ${from}`),
          ];
        }
        return [name, { name, cluster, user }];
      }),
    ),
  };
}

function addAll(
  config: Fields,
  list: string,
  field: string,
  to: Map<string, Fields>,
  make: (fields: Fields) => Fields,
): void {
  const entries: unknown = config[list] ?? [];
  if (!Array.isArray(entries)) {
    throw new Error(`${list} must be a list`);
  }
  for (const entry of entries) {
    if (!isRecord(entry) || typeof entry.name !== 'string') {
      throw new Error(`entries of ${list} must have a name`);
    }
    const fields = entry[field] ?? {};
    if (!isRecord(fields)) {
      throw new Error(`${field} of ${entry.name} must be a map`);
    }
    // the first one wins, as in kubectl
    if (!to.has(entry.name)) {
      to.set(entry.name, make(fields));
    }
  }
}

// paths, also of commands, are relative to their file
function absolute(fields: Fields, folder: string): Fields {
  const result: { [field: string]: unknown } = { ...fields };
  for (const field of PATHS) {
    const path = result[field];
    if (typeof path === 'string' && path !== '' && !isAbsolute(path)) {
      result[field] = join(folder, path);
    }
  }
  const { exec } = result;
  if (
    isRecord(exec) &&
    typeof exec.command === 'string' &&
    /[/\\]/.test(exec.command) &&
    !isAbsolute(exec.command)
  ) {
    result.exec = { ...exec, command: join(folder, exec.command) };
  }
  return result;
}

/** The credentials and the authority of a connection, in PEM. */
interface WrittenCredentials {
  readonly headers: { readonly [name: string]: string };
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The fields of a user whose credentials are in the kubeconfig or in files. */
const WRITTEN: ReadonlySet<string> = new Set([
  'token',
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
]);

/** Whether a context contains its credentials, like the kubeconfigs of Rancher and Harvester. */
export function hasWrittenCredentials({ user }: Pick<KubeconfigContext, 'user'>): boolean {
  return Object.entries(user).every(
    ([field, value]) => WRITTEN.has(field) || value === undefined || value === null || value === '',
  );
}

/** The credentials of such a context; files are read each time, since certificates are renewed. */
export function writtenCredentials({
  cluster,
  user,
}: Pick<KubeconfigContext, 'cluster' | 'user'>): WrittenCredentials {
  const token = kubeconfigField(user, 'token')?.trim();
  const [ca, cert, key] = [
    pemOf(cluster, 'certificate-authority'),
    pemOf(user, 'client-certificate'),
    pemOf(user, 'client-key'),
  ];
  return {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

/** Inline data takes precedence over a file, as in kubectl. */
function pemOf(fields: Fields, field: string): string | undefined {
  const data = kubeconfigField(fields, `${field}-data`);
  const path = kubeconfigField(fields, field);
  if (data === undefined && path === undefined) {
    return undefined;
  }
  const text =
    data === undefined ? readFileSync(path!, 'utf8') : Buffer.from(data, 'base64').toString('utf8');
  if (!text.includes('-----BEGIN ')) {
    throw new Error(
      data === undefined ? `${path!} must be PEM` : `${field}-data must be PEM in base64`,
    );
  }
  return text;
}
