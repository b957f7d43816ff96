import { Manifest } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';

/**
 * Whether a Secret must outlive the object from which a controller makes it: the program keeps it, or it is a credential of Rancher. An engine that prunes
 * does not look whether clusters use a credential, without which Rancher can neither create nor delete their machines.
 */
export function outlives({ deletion }: AssemblyObject, { metadata: { namespace } }: Manifest): boolean {
  return deletion?.policy === 'keep' || namespace === GLOBAL_DATA;
}
