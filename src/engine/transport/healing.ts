import { MissingObject } from './api';
import { kindKey } from '../../core/manifest/manifest';
import { GROUPS, GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { RANCHER_CLUSTER_SECRET } from '../../harvester/settings/catalogue/system.check';

/** An answer that heals by itself: what is asked for is right, and too early. */
interface HealingRow {
  /** Of the object that was written or deleted, as `group/Kind`. */
  readonly kinds: readonly string[];
  readonly status: readonly number[];
  readonly words: RegExp;
  /** What must be there first; the answer heals only where the same program makes it. Left out where a controller heals it in any case. */
  readonly missing?: (match: RegExpExecArray) => MissingObject;
  readonly source: string;
}

const inRancher = (kind: string): string => kindKey(GROUPS.MANAGEMENT, kind);
const inHarvester = (kind: string): string => kindKey(GROUPS.HARVESTER, kind);

const CLUSTER = kindKey(GROUPS.PROVISIONING, 'Cluster');
const PROJECT = inRancher('Project');
const ROLE_TEMPLATE = inRancher('RoleTemplate');
const PROJECT_BINDING = inRancher('ProjectRoleTemplateBinding');
const BINDINGS = [PROJECT_BINDING, inRancher('ClusterRoleTemplateBinding')];
const CLUSTER_NETWORK = kindKey(GROUP_HARVESTER_NETWORK, 'ClusterNetwork');
const NETWORK = kindKey('k8s.cni.cncf.io', 'NetworkAttachmentDefinition');
const POOL = kindKey('loadbalancer.harvesterhci.io', 'IPPool');

/** Statuses of a webhook that refuses; which one it is differs with the webhook and its version. */
const REFUSED = [400, 403, 422, 500];

const WEBHOOK = 'rancher/webhook:pkg/resources/management.cattle.io/v3';

/** The answers that heal by themselves, by kind, status and wording. They are tried again until the deadline. */
export const HEALING: readonly HealingRow[] = [
  {
    // status.clusterName of the Cluster is written before the webhook's cache has the management cluster
    kinds: [PROJECT],
    status: REFUSED,
    words: /project\.spec\.clusterName: Invalid value: "([^"]+)": cluster not found/,
    missing: ([, name]) => ({ kind: CLUSTER, name }),
    source: `seen on Rancher 2.13.8; ${WEBHOOK}/project/validator.go`,
  },
  {
    kinds: BINDINGS,
    status: REFUSED,
    words: /specified cluster (\S+) not found/,
    missing: ([, name]) => ({ kind: CLUSTER, name }),
    source: `${WEBHOOK}/clusterroletemplatebinding/validator.go, projectroletemplatebinding/validator.go`,
  },
  {
    kinds: [PROJECT_BINDING],
    status: REFUSED,
    words: /specified project (\S+) not found in \S+/,
    missing: ([, name]) => ({ kind: PROJECT, name }),
    source: `seen on Rancher 2.13.8; ${WEBHOOK}/projectroletemplatebinding/validator.go`,
  },
  {
    kinds: [ROLE_TEMPLATE],
    status: [500],
    words: /unable to get roletemplate (\S+)/,
    missing: ([, name]) => ({ kind: ROLE_TEMPLATE, name }),
    source: `seen on Rancher 2.13.8; ${WEBHOOK}/roletemplate/validator.go`,
  },
  {
    // a role that comes with the import of a Harvester
    kinds: BINDINGS,
    status: [500],
    words: /failed to validate fields on create: .* not found/,
    source: 'seen on Rancher 2.13.8',
  },
  {
    // the former Project of that name is still going
    kinds: [PROJECT],
    status: REFUSED,
    words: /failed to create project namespace\W+namespace (\S+) already exists/,
    missing: ([, name]) => ({ kind: kindKey('', 'Namespace'), name, going: true }),
    source: 'seen on Rancher 2.13.8',
  },
  {
    // until the network controller has written annotation uplink-mtu
    kinds: [CLUSTER_NETWORK],
    status: REFUSED,
    words: /but the vlanconfigs \S+ has another MTU/,
    source: 'seen on Harvester 1.7.2; harvester/network-controller-harvester:pkg/webhook/clusternetwork/validator.go',
  },
  {
    kinds: [kindKey(GROUP_HARVESTER_NETWORK, 'VlanConfig'), kindKey(GROUP_HARVESTER_NETWORK, 'HostNetworkConfig'), NETWORK, inHarvester('Setting')],
    status: [...REFUSED, 404],
    words: /clusternetworks\.network\.harvesterhci\.io "([^"]+)" not found/,
    missing: ([, name]) => ({ kind: CLUSTER_NETWORK, name }),
    source: 'seen on Harvester 1.7.2',
  },
  {
    kinds: [POOL],
    status: [...REFUSED, 404],
    words: /network-attachment-definitions\.k8s\.cni\.cncf\.io "([^"]+)" not found/,
    missing: ([, name]) => ({ kind: NETWORK, name }),
    source: 'seen on Harvester 1.7.2',
  },
  {
    kinds: [inHarvester('VirtualMachineImage')],
    status: [...REFUSED, 404],
    words: /storageclasses\.storage\.k8s\.io "([^"]+)" not found|no default storageClass found for backingImage/,
    missing: ([, name]) => ({ kind: kindKey('storage.k8s.io', 'StorageClass'), name }),
    source: 'seen on Harvester 1.7.2',
  },
  {
    kinds: [inHarvester('ScheduleVMBackup'), inHarvester('VirtualMachineBackup')],
    status: REFUSED,
    words: /setting backup-target is empty/,
    missing: () => ({ kind: inHarvester('Setting'), name: 'backup-target' }),
    source: 'seen on Harvester 1.7.2; harvester/harvester:pkg/webhook/resources/schedulevmbackup/validator.go',
  },
  {
    kinds: [inHarvester('Setting')],
    status: REFUSED,
    words: new RegExp(`${RANCHER_CLUSTER_SECRET.namespace}/${RANCHER_CLUSTER_SECRET.name} secret (not found|is empty)`),
    missing: () => ({ kind: kindKey('', 'Secret'), name: RANCHER_CLUSTER_SECRET.name }),
    source: 'seen on Harvester 1.7.2; harvester/harvester:pkg/webhook/resources/setting/validator.go',
  },
  {
    // seconds after the load balancers are gone
    kinds: [POOL],
    status: REFUSED,
    words: /can't delete pool before releasing all the allocated IP/,
    source: 'seen on Harvester 1.7.2',
  },
];

/** What an answer that heals by itself says. */
export interface Healing {
  /** The sentence that says so: the answer around it may be a whole AdmissionReview. */
  readonly says: string;
  readonly missing?: MissingObject;
}

/**
 * Whether an answer heals by itself.
 *
 * @param kind of the object, as `group/Kind`; undefined where the request does not say it
 */
export function healingOf(kind: string | undefined, status: number, words: string): Healing | undefined {
  for (const row of HEALING) {
    const match = (kind === undefined || row.kinds.includes(kind)) && row.status.includes(status) ? row.words.exec(words) : null;
    if (match) { return { says: match[0], ...(row.missing ? { missing: row.missing(match) } : {}) }; }
  }
  return undefined;
}
