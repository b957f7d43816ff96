import { allTrue, conditionOf, failing, Readiness, READY, textOf, waiting } from './conditions';
import { settingReadiness } from './setting';
import { AssemblyTarget } from '../../model/assembly';
import { ANNOTATION_NO_CREATOR_RBAC } from '../../model/labels';
import { CONDITION } from '../../model/live-names';
import { isRecord, valueAt } from '../../model/manifest';
import { LiveObject } from '../cluster/cluster';

/** What is known of the cluster that an object is on. */
export interface ReadyContext {
  /** @default - not known */
  readonly harvesterVersion?: string;
}

/** What the assembly says of a target. */
export function readyContext({ kind, version }: Pick<AssemblyTarget, 'kind' | 'version'>): ReadyContext {
  // of a target that is no longer in the program it may not be known
  return kind === 'harvester' && version !== '' ? { harvesterVersion: version } : {};
}

/** When an object of a kind is ready, and for how long it is waited for. */
export interface KindRule {
  readonly judge: (live: LiveObject, about: ReadyContext) => Readiness;
  readonly timeoutMs?: number;
}

const MINUTE = 60_000;

const conditions = (...types: string[]): KindRule => ({ judge: (live) => allTrue(live, types) });

/**
 * Rancher's and Harvester's kinds, by `group/Kind`.
 *
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go (Project); harvester/harvester:pkg/apis/harvesterhci.io/v1beta1 image.go, keypair.go,
 * addon.go, template.go; harvester/network-controller-harvester:pkg/apis/network.harvesterhci.io/v1beta1;
 * harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1
 */
export const KIND_RULES: ReadonlyMap<string, KindRule> = new Map<string, KindRule>([
  ['provisioning.cattle.io/Cluster', { judge: cluster, timeoutMs: 45 * MINUTE }],
  // it has no conditions; what is read from it is waited for as a late value
  ['management.cattle.io/ClusterRegistrationToken', { judge: () => READY }],
  ['management.cattle.io/Project', { judge: project }],
  ['harvesterhci.io/Setting', { judge: (live, { harvesterVersion }) => settingReadiness(live, harvesterVersion) }],
  ['harvesterhci.io/VirtualMachineImage', { judge: image, timeoutMs: 60 * MINUTE }],
  ['harvesterhci.io/KeyPair', conditions('validated')],
  ['harvesterhci.io/Addon', { judge: addon, timeoutMs: 15 * MINUTE }],
  ['harvesterhci.io/VirtualMachineTemplateVersion', conditions('assigned', 'ready')],
  ['loadbalancer.harvesterhci.io/LoadBalancer', { judge: loadBalancer }],
  ['loadbalancer.harvesterhci.io/IPPool', conditions('Ready')],
  ['network.harvesterhci.io/ClusterNetwork', conditions('ready')],
  ['kubevirt.io/VirtualMachine', { judge: virtualMachine, timeoutMs: 15 * MINUTE }],
]);

/**
 * An import is ready when its agent is connected; a cluster of machines when Rancher has brought them to what is declared.
 *
 * @see rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go (status of imports); pkg/capr/common.go (Provisioned, Updated)
 */
function cluster(live: LiveObject): Readiness {
  if (isRecord(valueAt(live, 'spec', 'rkeConfig'))) {
    const steps = allTrue(live, ['Provisioned', 'Updated']);
    if (steps.state !== 'ready') { return steps; }
  } else if (!valueAt(live, 'status', 'clusterName')) {
    return waiting('Rancher has not taken it yet (no status.clusterName)');
  }
  // the other conditions stay as they were while the agent is away
  const connected = conditionOf(live, CONDITION.CONNECTED);
  if (connected && connected.status !== 'True') { return waiting(`its agent is not connected: ${textOf(connected)}`); }
  const ready = conditionOf(live, CONDITION.READY);
  if (valueAt(live, 'status', 'ready') === true || ready?.status === 'True') { return READY; }
  return waiting(ready ? textOf(ready) : 'its agent has not connected yet (no status.ready)');
}

/**
 * Without Rancher's webhook the namespace comes later, and has no name in the status. A Project without a creator gets no role of a creator.
 * Seen on Rancher 2.13.8.
 */
function project(live: LiveObject): Readiness {
  const hasCreator = live.metadata.annotations?.[ANNOTATION_NO_CREATOR_RBAC] !== 'true';
  return allTrue(live, ['BackingNamespaceCreated', ...hasCreator ? ['InitialRolesPopulated'] : []]);
}

function image(live: LiveObject): Readiness {
  const [retries, missing, imported] = ['RetryLimitExceeded', 'BackingImageMissing', 'Imported'].map((type) => conditionOf(live, type));
  for (const condition of [retries, missing]) {
    if (condition?.status === 'True') { return { state: 'failed', why: textOf(condition) }; }
  }
  if (imported?.status === 'True') { return READY; }
  // seen on Harvester 1.7.2: each try that failed leaves its words here
  if (retries?.status === 'False' && retries.message) { return failing(textOf(retries)); }
  const progress = valueAt(live, 'status', 'progress');
  if (imported?.status === 'False' && imported.message) { return failing(textOf(imported)); }
  return waiting(`is being imported${typeof progress === 'number' ? `, ${progress} %` : ''}`);
}

function addon(live: LiveObject): Readiness {
  const failed = conditionOf(live, 'OperationFailed');
  if (failed?.status === 'True') { return { state: 'failed', why: textOf(failed) }; }
  const status = valueAt(live, 'status', 'status') ?? '';
  const done = valueAt(live, 'spec', 'enabled') === true ? ['AddonDeploySuccessful'] : ['AddonDisabled', ''];
  return done.includes(String(status)) ? READY : waiting(status === '' ? 'is being deployed' : String(status));
}

function loadBalancer(live: LiveObject): Readiness {
  const ready = allTrue(live, ['Ready']);
  if (ready.state !== 'ready') { return ready; }
  return valueAt(live, 'status', 'address') ? READY : waiting('has no address yet');
}

/** States that KubeVirt tells and that end only when somebody does something. @see kubevirt/api:core/v1/types.go VirtualMachinePrintableStatus */
const MACHINE_FAILS = ['ErrorUnschedulable', 'ErrImagePull', 'ImagePullBackOff', 'ErrorPvcNotFound', 'ErrorDataVolumeNotFound', 'DataVolumeError', 'CrashLoopBackOff'];

function virtualMachine(live: LiveObject): Readiness {
  const status = String(valueAt(live, 'status', 'printableStatus') ?? '');
  if (conditionOf(live, 'Ready')?.status === 'True') { return READY; }
  const halted = valueAt(live, 'spec', 'runStrategy') === 'Halted' || valueAt(live, 'spec', 'running') === false;
  if (halted && status === 'Stopped') { return READY; }
  return MACHINE_FAILS.includes(status) ? failing(status) : waiting(status === '' ? 'has not been started yet' : status);
}
