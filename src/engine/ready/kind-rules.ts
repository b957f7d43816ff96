import { createHash } from 'crypto';
import { READY, Readiness, allTrue, conditionOf, failing, textOf, waiting } from './conditions';
import { isRecord, valueAt } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { settingContext } from '../../harvester/context.rules';
import { controllerOf, resetValueOf } from '../../harvester/settings/catalogue/catalogue';
import { SettingContext } from '../../harvester/settings/catalogue/entry';
import { ANNOTATION_SETTING_HASH } from '../../harvester/settings/harvester-setting.kind';
import { CONDITION } from '../../rancher/cluster/management-cluster.kind';
import { ANNOTATION_NO_CREATOR_RBAC } from '../../rancher/members/creator.kind';
import { LiveObject } from '../cluster/cluster';

/** Annotation of Harvester's controller on a Setting. @see harvester/harvester:pkg/util/constants.go AnnotationUpgradePatched */
const ANNOTATION_UPGRADE_PATCHED = 'harvesterhci.io/upgrade-patched';

/** Reason of condition `configured` while pods stop and start. @see harvester/harvester:pkg/controller/master/storagenetwork/storage_network.go */
const IN_PROGRESS = 'In Progress';

/**
 * A Setting is carried out when the digest that its controller left is of its value: the condition alone is of an earlier value. One that is reset is
 * carried out though `configured` is False. A Setting that no controller acts on never gets a status.
 *
 * @see harvester/harvester:pkg/controller/master/setting/handler.go; seen on Harvester 1.7.2
 */
export function settingReadiness(live: LiveObject, harvesterVersion?: string): Readiness {
  const controller = controllerOf(live.metadata.name, contextOf(harvesterVersion));
  const value = valueOf(live);
  if (!controller?.digest) { return withoutDigest(live, value, controller !== undefined); }
  const { annotation, algorithm } = controller.digest;
  const { annotations = {} } = live.metadata;
  const carriedOut = annotations[annotation];
  // an empty value is skipped where nothing was ever carried out before, whatever the condition still says of a former value
  if (value === '' && carriedOut === undefined) { return READY; }
  const patched = annotation === ANNOTATION_SETTING_HASH ? annotations[ANNOTATION_UPGRADE_PATCHED] ?? '' : '';
  if (carriedOut !== createHash(algorithm).update(value + patched).digest('hex')) {
    // a value that fails is tried again and again, and the words are of an earlier try
    return said(live) ?? waiting('Harvester has not carried its value out yet');
  }
  return value === '' ? READY : byCondition(live);
}

/** The value that takes a Setting back to its default. */
export function resetFormOf(name: string, harvesterVersion?: string): string {
  return resetValueOf(name, contextOf(harvesterVersion));
}

/** Whether a Setting has its default again, or never had another value. */
export function isResetSetting(live: LiveObject, harvesterVersion?: string): boolean {
  const value = valueOf(live);
  return value === resetFormOf(live.metadata.name, harvesterVersion) || (value === '' && settingReadiness(live, harvesterVersion).state === 'ready');
}

function valueOf({ value }: LiveObject): string {
  return typeof value === 'string' ? value : '';
}

function contextOf(harvesterVersion: string | undefined): SettingContext {
  return settingContext({ name: '', harvesterVersion });
}

function withoutDigest(live: LiveObject, value: string, hasController: boolean): Readiness {
  if (hasController && value !== '' && !conditionOf(live, CONDITION.CONFIGURED)) { return waiting('Harvester has not carried its value out yet'); }
  return value === '' ? said(live) ?? READY : byCondition(live);
}

function byCondition(live: LiveObject): Readiness {
  const configured = conditionOf(live, CONDITION.CONFIGURED);
  return !configured || configured.status === 'True' ? READY : said(live) ?? waiting('configured is False');
}

/** What a condition that is not True says; undefined where it has no message. */
function said(live: LiveObject): Readiness | undefined {
  const configured = conditionOf(live, CONDITION.CONFIGURED);
  if (configured?.status !== 'False' || !configured.message) { return undefined; }
  return configured.reason === IN_PROGRESS ? waiting(configured.message) : failing(configured.message);
}

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
