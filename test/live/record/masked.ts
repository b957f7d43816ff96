import { Manifest, at, withLeaves } from '../../../src/core/manifest/manifest';
import { LiveObject } from '../../../src/engine/cluster/cluster';

/** Replaces a credential that a server made. */
const EXAMPLE = 'example-credential';

/** Names of fields that hold credentials, whatever the kind. */
const CREDENTIAL = /token|password|secret|kubeconfig|private|manifesturl|command/i;

/** An object without the credentials that the server made; what was sent remains. */
export function masked(object: LiveObject, applied: Manifest): LiveObject {
  return withLeaves(object, (leaf, path) => {
    const isData = object.kind === 'Secret' && (path[0] === 'data' || path[0] === 'stringData');
    const isNamed = path.some((step) => typeof step === 'string' && CREDENTIAL.test(step));
    const isOurs = at(applied, path) === leaf;
    if (typeof leaf !== 'string' || leaf === '' || isOurs) {
      return leaf;
    }
    if (path[0] === 'metadata' || !(isData || isNamed)) {
      return leaf;
    }
    return isData ? Buffer.from(EXAMPLE).toString('base64') : EXAMPLE;
  }) as LiveObject;
}
