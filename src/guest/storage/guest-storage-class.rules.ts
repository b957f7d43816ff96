import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey, sameValue, valueAt, annotationsOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World, JudgedTarget } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { lacksFeature } from '../../core/version/target-features';
import { rke2Lacks, valueOf } from '../../harvester/context.rules';
import { addressPlan, networkOn } from '../../harvester/load-balancer/address-plan.facts';
import { CNI, netConfOf } from '../../harvester/network/vm-network.kind';
import { ANNOTATION_DEFAULT_CLASS, GROUP_STORAGE, isDefaultClass, LONGHORN, LONGHORN_PROVISIONER } from '../../harvester/storage/storage.kind';
import { HarvesterGate } from '../../harvester/version/harvester-version';
import { CLUSTER_ROLE_CLOUD_PROVIDER, CSI_PARAMETER } from '../cloud-provider/cloud-provider.kind';
import { GuestHarvesters } from '../cloud-provider/guest-harvester.facts';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';
import { Rke2Gate } from '../kubernetes/rke2.data';

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
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    // Harvester refuses a second one by itself
    if (object.target.kind !== 'guest' || !isDefaultClass(object.manifest)) { return NO_PROBLEMS; }
    const other = world.beside(object, GROUP_STORAGE, 'StorageClass').find((each) => each !== object && isDefaultClass(each.manifest));
    if (!other) { return NO_PROBLEMS; }
    return [{
      path: `metadata.annotations[${ANNOTATION_DEFAULT_CLASS}]`,
      value: 'true',
      message: `makes it a default StorageClass besides ${other.manifest.metadata.name}: claims without a class get the newest of them`,
      fix: 'remove it from one of them',
    }];
  },
};

const BINDING: Rule = {
  id: 'guest/cloud-provider-binding',
  level: 'error',
  kinds: [kindKey(GROUPS.RBAC, 'ClusterRoleBinding')],
  what: 'each service account of a cloud provider has its own binding: a second one with the same name takes the permissions of the first',
  source: 'harvester/cloud-provider-harvester:deploy/generate_addon.sh',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const others = world.same(object).filter((other) => other !== object && isProviderBinding(other.manifest));
    if (!isProviderBinding(object.manifest)
      || others.every(({ manifest }) => sameValue(manifest.subjects, object.manifest.subjects))) { return NO_PROBLEMS; }
    return [{
      path: 'metadata.name',
      value: object.manifest.metadata.name,
      message: 'must be the binding of one service account: of two, only the last one applied has permissions',
      fix: 'use different names for the service accounts, or a RoleBinding for each in its namespace',
    }];
  },
};

function isProviderBinding(manifest: Manifest): boolean {
  return valueAt(manifest, 'roleRef', 'name') === CLUSTER_ROLE_CLOUD_PROVIDER;
}

/** The class that the chart of the CSI driver creates. @see harvester/charts:charts/harvester-csi-driver/templates */
const DRIVER_CLASS = 'harvester';
/** The settings that give shared volumes a network; from Harvester 1.8 on, rwx-network. */
const NETWORK_SETTINGS = ['storage-network', 'rwx-network'];
const DRIVER = 'harvester/harvester-csi-driver:pkg/csi/controller_server.go';

/** The class of a claim of the Harvester CSI driver: its parameters, if it is known. */
function driverClassOf(claim: JudgedObject, world: World): { readonly parameters?: unknown } | undefined {
  const name = filledText(valueAt(claim.manifest, 'spec', 'storageClassName'));
  const classes = world.beside(claim, GROUP_STORAGE, 'StorageClass').map(({ manifest }) => manifest);
  const found = name === undefined ? classes.find((each) => annotationsOf(each)[ANNOTATION_DEFAULT_CLASS] === 'true') : classes.find(({ metadata }) => metadata.name === name);
  if (found) { return found.provisioner === CSI_PROVISIONER ? { parameters: found.parameters } : undefined; }
  return name === DRIVER_CLASS ? {} : undefined;
}

const SHARED_VOLUME: Rule = {
  id: 'guest/shared-volume',
  level: 'error',
  kinds: [kindKey('', 'PersistentVolumeClaim')],
  what: 'a claim of the Harvester CSI driver is ReadWriteOnce, or ReadWriteMany where Harvester, the driver, a storage network and the StorageClass on Harvester support it',
  source: `${DRIVER} ControllerGetCapabilities, CreateVolume; harvester/docs rancher/csi-driver.md (RWX Volumes Support)`,
  *judge(claim: JudgedObject, world: World): Iterable<Problem> {
    const { manifest, target } = claim;
    const modes: unknown = valueAt(manifest, 'spec', 'accessModes');
    if (target.kind !== 'guest' || !Array.isArray(modes)) { return; }
    const many = modes.find((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
    const storageClass = many === undefined ? undefined : driverClassOf(claim, world);
    if (!storageClass) { return; }
    const at = { path: 'spec.accessModes', value: many };
    if (many === 'ReadOnlyMany') {
      yield { ...at, message: 'must be ReadWriteOnce or ReadWriteMany: the Harvester CSI driver has no other', fix: 'use ReadWriteMany', says: 'access mode MULTI_NODE_READER_ONLY is not supported' };
      return;
    }
    const harvester = GuestHarvesters.in(world).of(addressPlan(world).guestOf(claim)?.object, target);
    const lacks = (harvester && lacksFeature(harvester, HarvesterGate.CSI_VOLUMES_RWX)) ?? rke2Lacks(target, Rke2Gate.RKE2_CSI_HOST_STORAGE_CLASS);
    if (lacks) {
      yield { ...at, message: `must be ReadWriteOnce: ${lacks}`, fix: 'use ReadWriteOnce, or upgrade', says: 'access mode MULTI_NODE_MULTI_WRITER is not supported' };
    } else if (harvester) {
      yield* checkNetwork(at, harvester, world);
      yield* checkOverlay(at, claim, harvester, world);
      yield* checkHostClass(at, storageClass.parameters, harvester, world);
    }
  },
};

function* checkNetwork(at: { path: string; value: unknown }, target: JudgedTarget, world: World): Iterable<Problem> {
  const settings = NETWORK_SETTINGS.map((name) => world.find({ target }, GROUPS.HARVESTER, 'Setting', undefined, name)?.manifest);
  if (settings.some((setting) => setting && valueOf(setting))) { return; }
  yield {
    ...at,
    level: 'warning',
    message: `needs a storage network on ${target.name}, in which the machines have a network interface: no setting storage-network is known`,
    fix: 'declare the setting, and a second network of the machines; or suppress this if Harvester has them',
  };
}

// their machines cannot reach the share, not even from Harvester 1.9 on, the first that supports them @see harvester/docs#1116
function* checkOverlay(at: { path: string; value: unknown }, claim: JudgedObject, target: JudgedTarget, world: World): Iterable<Problem> {
  const name = addressPlan(world).guestOf(claim)?.network;
  const network = name === undefined ? undefined : networkOn(target, name, world);
  if (!network || netConfOf(valueAt(network, 'spec', 'config'))?.type !== CNI.KUBE_OVN) { return; }
  yield {
    ...at,
    level: 'warning',
    message: `cannot be shared: the network ${name} of the machines is an overlay network, on which Harvester supports no ReadWriteMany volumes`,
    fix: 'use ReadWriteOnce, or a VLAN or untagged network as the first network of the machines',
  };
}

function* checkHostClass(at: { path: string; value: unknown }, parameters: unknown, target: JudgedTarget, world: World): Iterable<Problem> {
  const name = filledText(valueAt(parameters, CSI_PARAMETER.HOST_STORAGE_CLASS));
  if (name === undefined || isLate(name)) { return; }
  const host = world.find({ target }, GROUP_STORAGE, 'StorageClass', undefined, name)?.manifest;
  if (host?.provisioner === LONGHORN_PROVISIONER && String(valueAt(host, 'parameters', LONGHORN.MIGRATABLE)) === 'true') {
    yield {
      ...at,
      level: 'warning',
      message: `needs a StorageClass on ${target.name} without migratable "true": Longhorn does not share volumes of ${name}`,
      fix: 'set hostStorageClass to a class with migratable "false"',
    };
  }
}

/** Rules for storage and load balancers of guest clusters. */
export const GUEST_ADDON_RULES: readonly Rule[] = [STORAGE_CLASS, DEFAULT_CLASS, BINDING, SHARED_VOLUME];
