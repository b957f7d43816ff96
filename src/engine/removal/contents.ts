import { KindReferences } from '../../core/kind/description/references';
import { kindOf } from '../../core/kind/kinds';
import { Manifest } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';

/** An object that remains. */
type Used = Pick<AssemblyObject, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

/** What objects that remain need although the program does not declare it: their namespaces, and the Secrets that controllers make from them. */
export function usedBy(target: string, { apiVersion, kind, namespace = '', name }: Used): string[] {
  return [`${target} ${namespace}`, ...(kindOf<KindReferences>({ apiVersion, kind })?.makes ? [`${target} ${namespace}/${name}`] : [])];
}

/** Why a Namespace or a Secret is kept: objects that remain need it. `used` contains `usedBy` of all of them. */
export function stillInUse({ apiVersion, kind, metadata }: Manifest, target: string, used: ReadonlySet<string>): string | undefined {
  const { namespace, name } = metadata;
  if (apiVersion !== 'v1') { return undefined; }
  if (kind === 'Namespace' && used.has(`${target} ${name}`)) { return 'it contains other objects of this program'; }
  return kind === 'Secret' && used.has(`${target} ${namespace}/${name}`) ? 'a controller makes it from another object of this program' : undefined;
}
