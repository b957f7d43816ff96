import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { MINUTE, READY, Readiness, waiting } from '../../core/kind/ready/readiness';
import { Manifest, groupOf, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { RancherGate } from '../version/rancher-version';

/** The phases in which an operation has ended without success. */
const FAILED: readonly unknown[] = ['Failed', 'Canceled'];

const COMMON = {
  group: GROUPS.OPERATION,
  version: 'v1alpha1',
  scope: 'Namespaced',
  targets: ON_RANCHER,
  served: RancherGate.OPERATIONS,
  rank: 95,
  // Rancher changes the nodes of a cluster one after another
  ready: { judge: readiness, timeoutMs: 60 * MINUTE },
  references: (operation: Manifest) => {
    const reference = valueAt(operation, 'spec', 'clusterRef');
    const [apiVersion, kind, name, namespace] = ['apiVersion', 'kind', 'name', 'namespace'].map(
      (field) => valueAt(reference, field),
    );
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') {
      return [];
    }
    return [
      {
        group: groupOf(apiVersion),
        kind,
        name,
        ...(typeof namespace === 'string' ? { namespaces: [namespace] } : {}),
      },
    ];
  },
} as const;

/**
 * Operations that Rancher 2.15 carries out once on an RKE2 or K3s cluster.
 * @see rancher/rancher:pkg/crds/yaml/generated/operation.cattle.io_*.yaml, pkg/controllers/operations
 */
export const OPERATION_DESCRIPTIONS: readonly KindDescription[] = [
  { ...COMMON, kind: 'ETCDSnapshotSave' },
  { ...COMMON, kind: 'ETCDSnapshotRestore' },
  { ...COMMON, kind: 'EncryptionKeyRotation' },
];

function readiness(live: Manifest): Readiness {
  const phase = valueAt(live, 'status', 'phase');
  const step = valueAt(live, 'status', 'step');
  if (phase === 'Succeeded') {
    return READY;
  }
  const why = `is ${typeof phase === 'string' ? phase : 'Pending'}${typeof step === 'string' ? ` in step ${step}` : ''}`;
  return FAILED.includes(phase) ? { state: 'failed', why } : waiting(why);
}
