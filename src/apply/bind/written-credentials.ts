import { readFileSync } from 'fs';
import { KubeconfigContext } from './kubeconfig-files';
import { textOf } from './server-of';

type Fields = { readonly [field: string]: unknown };

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
function pemOf(fields: Fields, field: string): string | undefined {
  const data = textOf(fields, `${field}-data`);
  const path = textOf(fields, field);
  if (data === undefined && path === undefined) { return undefined; }
  const text = data === undefined ? readFileSync(path!, 'utf8') : Buffer.from(data, 'base64').toString('utf8');
  if (!text.includes('-----BEGIN ')) { throw new Error(data === undefined ? `${path!} is no PEM` : `${field}-data is no PEM in base64`); }
  return text;
}
