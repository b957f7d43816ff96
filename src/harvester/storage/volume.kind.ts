import { EXISTS } from '../../core/health/health';
import { ImmutableField } from '../../core/immutable/immutable-fields';
import { EVERYWHERE, KindDescription, ON_HARVESTER } from '../../core/kind/kind';
import { phase } from '../../core/kind/kubernetes-readiness';

// the server fills in omitted fields
const fixed = (path: string): ImmutableField => ({ path, addable: true, omitted: 'keeps' });

/** PersistentVolumeClaim, with what Harvester does to it. */
export const VOLUME_DESCRIPTION: KindDescription = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  scope: 'Namespaced',
  rank: 42,
  namedBy: { fields: { claimName: 'name' } },
  immutable: [{
    id: 'volume/update',
    level: 'error',
    what: 'a volume cannot shrink, and its StorageClass, mode and access modes are immutable',
    says: 'spec is immutable after creation',
    source: 'https://kubernetes.io/docs/concepts/storage/persistent-volumes/; harvester/harvester:pkg/webhook/resources/persistentvolumeclaim/validator.go',
    on: ON_HARVESTER,
    fields: ['spec.storageClassName', 'spec.volumeMode', 'spec.accessModes'].map(fixed),
    fix: 'create a volume with a different name',
  }],
  ready: { judge: phase('Bound') },
  // one that waits for its first consumer is pending
  health: { healthy: EXISTS, misread: true },
  holds: [{ holds: 'data', what: 'the data on it', asks: true, searchedOn: EVERYWHERE }],
};
