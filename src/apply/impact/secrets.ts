import { allMachines } from './cluster-fields';
import { Impact, Sides, Where } from './impact';
import { WAITS_ON_ONE_SIDE } from './template';
import { objectLabel, valueAt } from '../../model/manifest';
import { sameValue } from '../../model/same-value';
import { cloudConfigsOf } from '../../rules/cloud-config-secret';
import { credentialSecret } from '../../rules/cloud-credential';
import { nodeConfigsOf } from '../../rules/guest-cluster-parts';
import { JudgedObject } from '../../rules/rule';

/** What an edit of the Secrets does that a Cluster names: the kubeconfig of its cloud provider, and its credential. */
export function* secretImpacts(after: JudgedObject, sides: Sides, where: Where): Iterable<Impact> {
  for (const { namespace, name } of cloudConfigsOf(nodeConfigsOf(after.manifest))) {
    if (namespace === undefined || name === undefined) { continue; }
    yield* secretImpact(after, namespace, name, sides, where, {
      ...where,
      effect: 'restart',
      ...allMachines(after.manifest),
      causes: [],
      risks: [],
      what: 'the kubeconfig of the cloud provider is written to each node anew, and nodes restart their services in place (UNCONFIRMED); '
        + 'no virtual machine is replaced',
    }, 'nodes get no plan any more without it');
  }
  const text = valueAt(after.manifest, 'spec', 'cloudCredentialSecretName');
  if (typeof text !== 'string' || text === '') { return; }
  const { namespace, name } = credentialSecret(after.manifest, text);
  yield* secretImpact(after, namespace, name, sides, where, {
    ...where,
    effect: 'none',
    causes: [],
    risks: [],
    what: 'machines are made and removed with the new credential from now on; no machine is replaced',
  }, 'machines can neither be made nor removed without it');
}

function* secretImpact(
  cluster: JudgedObject, namespace: string | undefined, name: string, { before, after }: Sides, where: Where, changed: Impact, gone: string,
): Iterable<Impact> {
  const [old, now] = [before, after].map((side) => side.find('', 'Secret', namespace, name, cluster.target.name));
  if (!old) { return; }
  const object = objectLabel(old.manifest);
  if (!now) {
    yield {
      ...where,
      effect: 'none',
      what: 'a Secret that the Cluster names is gone',
      causes: [{ object, path: '', remark: 'is gone' }],
      risks: [gone],
    };
    return;
  }
  for (const field of ['data', 'stringData']) {
    const [was, is] = [before.resolved(old.manifest[field]), after.resolved(now.manifest[field])];
    if (sameValue(was, is)) { continue; }
    // a value that waits on one side and stands there on the other can be the same
    const remark = isWaiting(was) === isWaiting(is) ? 'is another one' : WAITS_ON_ONE_SIDE;
    yield { ...changed, causes: [{ object, path: field, remark }] };
  }
}

function isWaiting(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes('${late');
}
