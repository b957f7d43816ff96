import { isLate } from '../../core/late/late-token';
import {
  Manifest,
  isRecord,
  kindKey,
  sameValue,
  valueAt,
  annotationsOf,
  itemsAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem, joinedProblems, problemsOf, problemsOfKeys } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World, JudgedTarget } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { lacksFeature } from '../../core/version/target-features';
import { addressPlan, networkOn } from '../../harvester/load-balancer/address-plan.facts';
import { CNI, netConfOf } from '../../harvester/network/vm-network.kind';
import { valueOf } from '../../harvester/settings/entry/setting.facts';
import {
  ANNOTATION_DEFAULT_CLASS,
  GROUP_STORAGE,
  isDefaultClass,
  LONGHORN,
  LONGHORN_PROVISIONER,
} from '../../harvester/storage/storage.kind';
import { HarvesterGate } from '../../harvester/version/harvester-version';
import { CLUSTER_ROLE_CLOUD_PROVIDER, CSI_PARAMETER } from '../cloud-provider/cloud-provider.kind';
import { GuestHarvesters } from '../cloud-provider/guest-harvester.facts';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';
import { rke2Lacks } from '../kubernetes/kubernetes.check';
import { Rke2Gate } from '../kubernetes/rke2.data';

const PARAMETERS: readonly string[] = Object.values(CSI_PARAMETER);
/** The prefix of parameters that Kubernetes reads. */
const OF_KUBERNETES = 'csi.storage.k8s.io/';

function isProviderBinding(manifest: Manifest): boolean {
  return valueAt(manifest, 'roleRef', 'name') === CLUSTER_ROLE_CLOUD_PROVIDER;
}

/**
 * The class that the chart of the CSI driver creates.
 * @see harvester/charts:charts/harvester-csi-driver/templates
 */
const DRIVER_CLASS = 'harvester';
/** The settings that give shared volumes a network; from Harvester 1.8 on, rwx-network. */
const NETWORK_SETTINGS = ['storage-network', 'rwx-network'];
const DRIVER = 'harvester/harvester-csi-driver:pkg/csi/controller_server.go';

/** The class of a claim of the Harvester CSI driver: its parameters, if it is known. */
function driverClassOf(
  claim: JudgedObject,
  world: World,
): { readonly parameters?: unknown } | undefined {
  const name = filledText(valueAt(claim.manifest, 'spec', 'storageClassName'));
  const classes = world
    .beside(claim, GROUP_STORAGE, 'StorageClass')
    .map(({ manifest }) => manifest);
  const found =
    name === undefined
      ? classes.find((each) => annotationsOf(each)[ANNOTATION_DEFAULT_CLASS] === 'true')
      : classes.find(({ metadata }) => metadata.name === name);
  if (found) {
    return found.provisioner === CSI_PROVISIONER ? { parameters: found.parameters } : undefined;
  }
  return name === DRIVER_CLASS ? {} : undefined;
}

/** A claim whose volume several machines share, and the Harvester that they run on. */
interface SharedClaim {
  readonly claim: JudgedObject;
  readonly parameters: unknown;
  readonly harvester: JudgedTarget;
}

/** What a volume of several machines needs on the Harvester, as the problem of the claim. */
const NEEDS: ReadonlyArray<
  (shared: SharedClaim, world: World) => Omit<Problem, 'path'> | undefined
> = [
  ({ harvester: target }, world) => {
    const settings = NETWORK_SETTINGS.map(
      (name) => world.find({ target }, GROUPS.HARVESTER, 'Setting', undefined, name)?.manifest,
    );
    return settings.some((setting) => setting && valueOf(setting))
      ? undefined
      : {
          message: `needs a storage network on ${target.name}, in which the machines have a network interface: no setting storage-network is known`,
          fix: 'declare the setting, and a second network of the machines; or suppress this if Harvester has them',
        };
  },
  // their machines cannot reach the share, not even from Harvester 1.9 on, the first that supports
  // them @see harvester/docs#1116
  ({ claim, harvester }, world) => {
    const name = addressPlan(world).guestOf(claim)?.network;
    const network = name === undefined ? undefined : networkOn(harvester, name, world);
    return network && netConfOf(valueAt(network, 'spec', 'config'))?.type === CNI.KUBE_OVN
      ? {
          message: `cannot be shared: the network ${name} of the machines is an overlay network, on which Harvester supports no ReadWriteMany volumes`,
          fix: 'use ReadWriteOnce, or a VLAN or untagged network as the first network of the machines',
        }
      : undefined;
  },
  ({ parameters, harvester: target }, world) => {
    const name = filledText(valueAt(parameters, CSI_PARAMETER.HOST_STORAGE_CLASS));
    const host =
      name === undefined || isLate(name)
        ? undefined
        : world.find({ target }, GROUP_STORAGE, 'StorageClass', undefined, name)?.manifest;
    return host?.provisioner === LONGHORN_PROVISIONER &&
      String(valueAt(host, 'parameters', LONGHORN.MIGRATABLE)) === 'true'
      ? {
          message: `needs a StorageClass on ${target.name} without migratable "true": Longhorn does not share volumes of ${name}`,
          fix: 'set hostStorageClass to a class with migratable "false"',
        }
      : undefined;
  },
];

/** Rules for storage and load balancers of guest clusters. */
export const GUEST_ADDON_RULES = rules({}, [
  {
    id: 'guest/storage-class',
    level: 'warning',
    kinds: [kindKey(GROUP_STORAGE, 'StorageClass')],
    what: 'a StorageClass of the Harvester CSI driver has the parameters that the driver reads: it ignores others',
    source: 'harvester/harvester-csi-driver:pkg/csi/controller_server.go',
    when: ({ manifest }) => manifest.provisioner === CSI_PROVISIONER,
    field: 'parameters',
    check: (path, parameters) =>
      isRecord(parameters) &&
      joinedProblems(
        problemsOfKeys(
          parameters,
          (key) =>
            !PARAMETERS.includes(key) &&
            !key.startsWith(OF_KUBERNETES) && {
              path: `${path}.${key}`,
              value: parameters[key],
              message: 'has no effect: the CSI driver does not read it',
              fix: `use ${PARAMETERS.join(', ')}; set other parameters in the StorageClass on Harvester`,
            },
        ),
        (parameters[CSI_PARAMETER.HOST_VOLUME_MODE] ?? 'filesystem') !== 'filesystem' && {
          path: `${path}.${CSI_PARAMETER.HOST_VOLUME_MODE}`,
          value: parameters[CSI_PARAMETER.HOST_VOLUME_MODE],
          message: 'must be filesystem: the CSI driver ignores anything else',
          fix: 'write filesystem, or remove it',
        },
      ),
  },
  {
    id: 'guest/default-class',
    level: 'warning',
    kinds: [kindKey(GROUP_STORAGE, 'StorageClass')],
    // Harvester refuses a second one by itself
    surelyOn: 'guest',
    what: 'a guest cluster has one default StorageClass: of several, claims without a class get the newest',
    source: 'https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass',
    when: ({ manifest }) => isDefaultClass(manifest),
    judge: (object, world) => {
      const other = world
        .beside(object, GROUP_STORAGE, 'StorageClass')
        .find((each) => each !== object && isDefaultClass(each.manifest));
      return (
        other && {
          path: `metadata.annotations[${ANNOTATION_DEFAULT_CLASS}]`,
          value: 'true',
          message: `makes it a default StorageClass besides ${other.manifest.metadata.name}: claims without a class get the newest of them`,
          fix: 'remove it from one of them',
        }
      );
    },
  },
  {
    id: 'guest/cloud-provider-binding',
    kinds: [kindKey(GROUPS.RBAC, 'ClusterRoleBinding')],
    what: 'each service account of a cloud provider has its own binding: a second one with the same name takes the permissions of the first',
    source: 'harvester/cloud-provider-harvester:deploy/generate_addon.sh',
    when: ({ manifest }) => isProviderBinding(manifest),
    field: 'metadata.name',
    late: 'judged',
    check: (_, __, object, world) => {
      const others = world
        .same(object)
        .filter((other) => other !== object && isProviderBinding(other.manifest));
      return (
        others.some(({ manifest }) => !sameValue(manifest.subjects, object.manifest.subjects)) && {
          message:
            'must be the binding of one service account: of two, only the last one applied has permissions',
          fix: 'use different names for the service accounts, or a RoleBinding for each in its namespace',
        }
      );
    },
  },
  {
    id: 'guest/shared-volume',
    kinds: [kindKey('', 'PersistentVolumeClaim')],
    surelyOn: 'guest',
    what: 'a claim of the Harvester CSI driver is ReadWriteOnce, or ReadWriteMany where Harvester, the driver, a storage network and the StorageClass on Harvester support it',
    source: `${DRIVER} ControllerGetCapabilities, CreateVolume; harvester/docs rancher/csi-driver.md (RWX Volumes Support)`,
    field: 'spec.accessModes',
    check: (path, modes, claim, world) => {
      const value: unknown = itemsAt(modes).find(
        (mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany',
      );
      const storageClass = value === undefined ? undefined : driverClassOf(claim, world);
      if (!storageClass) {
        return undefined;
      }
      if (value === 'ReadOnlyMany') {
        return {
          value,
          message: 'must be ReadWriteOnce or ReadWriteMany: the Harvester CSI driver has no other',
          fix: 'use ReadWriteMany',
          says: 'access mode MULTI_NODE_READER_ONLY is not supported',
        };
      }
      const { target } = claim;
      const harvester = GuestHarvesters.in(world).of(
        addressPlan(world).guestOf(claim)?.object,
        target,
      );
      const lacks =
        (harvester && lacksFeature(harvester, HarvesterGate.CSI_VOLUMES_RWX)) ??
        rke2Lacks(target, Rke2Gate.RKE2_CSI_HOST_STORAGE_CLASS);
      if (lacks) {
        const says = 'access mode MULTI_NODE_MULTI_WRITER is not supported';
        return {
          value,
          message: `must be ReadWriteOnce: ${lacks}`,
          fix: 'use ReadWriteOnce, or upgrade',
          says,
        };
      }
      return (
        harvester &&
        problemsOf(NEEDS, (need) => {
          const problem = need({ claim, harvester, parameters: storageClass.parameters }, world);
          return problem && { path, value, level: 'warning', ...problem };
        })
      );
    },
  },
]);
