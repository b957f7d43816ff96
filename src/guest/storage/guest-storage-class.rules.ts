import { Manifest, isRecord, kindKey, sameValue, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { ANNOTATION_DEFAULT_CLASS, GROUP_STORAGE, isDefaultClass } from '../../harvester/storage/storage.kind';
import { CLUSTER_ROLE_CLOUD_PROVIDER, CSI_PARAMETER } from '../cloud-provider/cloud-provider.kind';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';

const PARAMETERS: readonly string[] = Object.values(CSI_PARAMETER);

const STORAGE_CLASS: Rule = {
  id: 'guest/storage-class',
  level: 'warning',
  kinds: [kindKey(GROUP_STORAGE, 'StorageClass')],
  what: 'a StorageClass of the Harvester CSI driver has the parameters that the driver reads: it ignores others',
  source: 'harvester/harvester-csi-driver:pkg/csi/controller_server.go',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    if (manifest.provisioner !== CSI_PROVISIONER || !isRecord(manifest.parameters)) { return; }
    for (const [key, value] of Object.entries(manifest.parameters)) {
      // these are parameters of Kubernetes
      if (PARAMETERS.includes(key) || key.startsWith('csi.storage.k8s.io/')) { continue; }
      yield {
        path: `parameters.${key}`,
        value,
        message: 'has no effect: the CSI driver does not read it',
        fix: `use ${PARAMETERS.join(', ')}; set other parameters in the StorageClass on Harvester`,
      };
    }
    const mode = manifest.parameters[CSI_PARAMETER.HOST_VOLUME_MODE];
    if (mode !== undefined && mode !== 'filesystem') {
      yield { path: `parameters.${CSI_PARAMETER.HOST_VOLUME_MODE}`, value: mode, message: 'must be filesystem: the CSI driver ignores anything else', fix: 'write filesystem, or remove it' };
    }
  },
};

const DEFAULT_CLASS: Rule = {
  id: 'guest/default-class',
  level: 'warning',
  kinds: [kindKey(GROUP_STORAGE, 'StorageClass')],
  what: 'a guest cluster has one default StorageClass: of several, claims without a class get the newest',
  source: 'https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    // Harvester refuses a second one by itself
    if (object.target.kind !== 'guest' || !isDefaultClass(object.manifest)) { return; }
    const other = world.beside(object, GROUP_STORAGE, 'StorageClass').find((each) => each !== object && isDefaultClass(each.manifest));
    if (!other) { return; }
    yield {
      path: `metadata.annotations[${ANNOTATION_DEFAULT_CLASS}]`,
      value: 'true',
      message: `makes it a default StorageClass besides ${other.manifest.metadata.name}: claims without a class get the newest of them`,
      fix: 'remove it from one of them',
    };
  },
};

const BINDING: Rule = {
  id: 'guest/cloud-provider-binding',
  level: 'error',
  kinds: [kindKey('rbac.authorization.k8s.io', 'ClusterRoleBinding')],
  what: 'each service account of a cloud provider has its own binding: a second one with the same name takes the permissions of the first',
  source: 'harvester/cloud-provider-harvester:deploy/generate_addon.sh',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const others = world.same(object).filter((other) => other !== object && isProviderBinding(other.manifest));
    if (!isProviderBinding(object.manifest) || others.every(({ manifest }) => sameValue(manifest.subjects, object.manifest.subjects))) { return; }
    yield {
      path: 'metadata.name',
      value: object.manifest.metadata.name,
      message: 'must be the binding of one service account: of two, only the last one applied has permissions',
      fix: 'use different names for the service accounts, or a RoleBinding for each in its namespace',
    };
  },
};

function isProviderBinding(manifest: Manifest): boolean {
  return valueAt(manifest, 'roleRef', 'name') === CLUSTER_ROLE_CLOUD_PROVIDER;
}

/** Rules for storage and load balancers of guest clusters. */
export const GUEST_ADDON_RULES: readonly Rule[] = [STORAGE_CLASS, DEFAULT_CLASS, BINDING];
