import { isLate } from '../../core/late/late-token';
import { annotationsOf, kindKey, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, JudgedTarget, Rule, World } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';
import { lacksFeature } from '../../core/version/target-features';
import { rke2Lacks, valueOf } from '../../harvester/context.rules';
import { addressPlan } from '../../harvester/load-balancer/address-plan.rules';
import { ANNOTATION_DEFAULT_CLASS, GROUP_STORAGE, LONGHORN, LONGHORN_PROVISIONER } from '../../harvester/storage/storage.kind';
import { HarvesterGate } from '../../harvester/version/harvester-version';
import { CSI_PARAMETER } from '../cloud-provider/cloud-provider.kind';
import { GuestHarvesters } from '../cloud-provider/guest-harvester';
import { CSI_PROVISIONER } from '../cluster/cluster.kind';
import { Rke2Gate } from '../version/rke2-gate';

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

/** Rules for volumes that several nodes of a guest cluster use. */
export const SHARED_VOLUME_RULES: readonly Rule[] = [SHARED_VOLUME];
