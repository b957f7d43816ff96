import { Manifest, isRecord, itemsAt, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, JudgedTarget, World } from '../../core/rule/rule';
import { jsonOf } from '../../core/text/values';
import { knownVersion } from '../../core/version/product-version';
import { hasFeature } from '../../core/version/target-features';
import { HarvesterGate, harvesterVersionOf } from '../../harvester/version/harvester-version';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { installedChart } from '../chart/helm-chart.facts';
import { GuestChartVersion } from '../cloud-provider/chart-faults.data';
import { kubeconfigOfSecret } from '../cloud-provider/cloud-config-secret.rules';
import {
  CLUSTER_ROLE_CLOUD_PROVIDER,
  CLUSTER_ROLE_CSI_DRIVER,
} from '../cloud-provider/cloud-provider.kind';
import { bundledCsi } from '../cloud-provider/cloud-provider.rules';
import { GuestHarvesters } from '../cloud-provider/guest-harvester.facts';
import {
  cloudConfigsOf,
  configOf,
  nodeConfigsOf,
  poolsOf,
  usesHarvester,
  vmNamespaceOf,
} from '../cluster/cluster-reader.facts';
import { CSI_CHART, DISABLE } from '../cluster/cluster.kind';
import { KubeconfigView } from '../kubeconfig/kubeconfig.check';
import { textsIn } from '../kubernetes/kubernetes.check';
import { CSI_PATCH_RULES } from '../machine-config/machine-config.kind';

/** A ServiceAccount on Harvester; without a name any of the namespace. */
interface Account {
  readonly namespace: string;
  readonly name?: string;
}

/**
 * The chart of the CSI driver in a guest cluster: the bundled one, or one that its control plane
 * installs.
 */
function csiChartOf(
  manifest: Manifest,
): { readonly path: string; readonly version: GuestChartVersion | undefined } | undefined {
  const installed = installedChart(manifest, CSI_CHART);
  // a version that cannot be read is reported by a rule of its own
  if (installed) {
    return {
      path: installed.path,
      version: knownVersion(GuestChartVersion.parse, installed.version),
    };
  }
  const isDisabled = nodeConfigsOf(manifest).some(({ config }) =>
    textsIn(config[DISABLE]).includes(CSI_CHART),
  );
  return !usesHarvester(manifest) || isDisabled
    ? undefined
    : {
        path: 'spec.kubernetesVersion',
        version: knownVersion(GuestChartVersion.parse, bundledCsi(manifest)),
      };
}

/**
 * The account of the CSI driver on Harvester, by its token, otherwise by the bindings in the
 * namespace of the machines.
 */
function accountOf(cluster: JudgedObject, world: World): Account | undefined {
  const configs = cloudConfigsOf(cluster.manifest).map((reference) =>
    kubeconfigOfSecret(cluster, reference, world),
  );
  const config = configs.filter((each) => typeof each === 'object')[0] as
    KubeconfigView | undefined;
  const subject = subjectOf(config?.token);
  if (subject) {
    return subject;
  }
  const machines = poolsOf(cluster.manifest)
    .map((pool) => configOf(cluster, pool, world))
    .find((each) => each !== undefined);
  const namespace = config?.namespace ?? (machines && vmNamespaceOf(machines));
  return namespace === undefined ? undefined : { namespace };
}

/**
 * The ServiceAccount that a token is for.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/
 */
function subjectOf(token = ''): Account | undefined {
  const claims = jsonOf(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const [, namespace, name] =
    /^system:serviceaccount:([^:]+):([^:]+)$/.exec(String(valueAt(claims, 'sub'))) ?? [];
  return name === undefined ? undefined : { namespace, name };
}

/** Whether a role that is bound to an account lets it patch virtual machines in its namespace. */
function mayPatch(target: JudgedTarget, account: Account, world: World): boolean {
  const on = (kind: string): JudgedObject[] =>
    world.ofKind(GROUPS.RBAC, kind).filter((object) => object.target.name === target.name);
  const bindings = [
    ...on('ClusterRoleBinding'),
    ...on('RoleBinding').filter(
      ({ manifest }) => manifest.metadata.namespace === account.namespace,
    ),
  ];
  const names =
    account.name === undefined ? driversIn(account.namespace, bindings) : [account.name];
  return bindings.some(({ manifest }) => {
    const [kind, name] = ['kind', 'name'].map((key) => valueAt(manifest.roleRef, key));
    if (!names.some((each) => isBoundTo(manifest, account.namespace, each))) {
      return false;
    }
    if (kind === 'ClusterRole' && name === 'cluster-admin') {
      return true;
    }
    return on(String(kind)).some(
      ({ manifest: role }) =>
        role.metadata.name === name &&
        (kind === 'ClusterRole' || role.metadata.namespace === manifest.metadata.namespace) &&
        allowsPatch(role),
    );
  });
}

/** The accounts of a namespace that have a ClusterRole of Harvester for guest clusters. */
function driversIn(namespace: string, bindings: readonly JudgedObject[]): string[] {
  const ofDrivers = bindings.filter(({ manifest }) =>
    [CLUSTER_ROLE_CLOUD_PROVIDER, CLUSTER_ROLE_CSI_DRIVER].includes(
      String(valueAt(manifest.roleRef, 'name')),
    ),
  );
  const subjects = ofDrivers.flatMap(({ manifest }) => subjectsOf(manifest));
  return subjects
    .filter((subject) => subject.namespace === namespace)
    .map(({ name }) => String(name));
}

function isBoundTo(binding: Manifest, namespace: string, name: string): boolean {
  return subjectsOf(binding).some(
    (subject) =>
      subject.kind === 'ServiceAccount' && subject.namespace === namespace && subject.name === name,
  );
}

function subjectsOf(binding: Manifest): Array<{ readonly [key: string]: unknown }> {
  return itemsAt(binding, 'subjects').filter(isRecord);
}

function allowsPatch(role: Manifest): boolean {
  const [needed] = CSI_PATCH_RULES;
  return itemsAt(role, 'rules').some((rule) =>
    (['apiGroups', 'resources', 'verbs'] as const).every((key) => {
      const list = itemsAt(rule, key);
      return list.includes('*') || needed[key].every((item) => list.includes(item));
    }),
  );
}

/** Rules for the permissions of the CSI driver of a guest cluster on Harvester. */
export const CSI_PERMISSION_RULES = rules({ kinds: CLUSTER_KINDS }, [
  {
    id: 'cluster/csi-permission',
    level: 'warning',
    what: 'on Harvester before 1.8, the account of a CSI driver that patches virtual machines (chart 0.1.27 and later) has the permission for that',
    says: 'cannot patch resource "virtualmachines" in API group "kubevirt.io"',
    source:
      'harvester/harvester#10548; harvester/harvester-csi-driver:pkg/csi/controller_server.go addVolumeToVM, pkg/utils/version.go',
    judge: (cluster, world) => {
      const chart = csiChartOf(cluster.manifest);
      if (!chart?.version?.has('CSI_PATCHES_MACHINES')) {
        return undefined;
      }
      const target = GuestHarvesters.in(world).of(cluster) ?? cluster.target;
      if (hasFeature(target, HarvesterGate.CSI_MACHINE_PATCH) !== false) {
        return undefined;
      }
      const account = accountOf(cluster, world);
      const who =
        account?.name === undefined
          ? 'the account of its cloud config'
          : `ServiceAccount ${account.namespace}/${account.name}`;
      return (
        !(account && mayPatch(target, account, world)) && {
          path: chart.path,
          value: chart.version.upstream,
          message:
            'may attach volumes with a patch of the virtual machine, for which the required permission is missing: ' +
            `neither ClusterRole ${CLUSTER_ROLE_CSI_DRIVER} of Harvester ${harvesterVersionOf(target)} nor any known role grants it to ${who}`,
          fix: `bind a Role with ${JSON.stringify(CSI_PATCH_RULES[0])} to it in the namespace of the machines, or upgrade Harvester to 1.8.0`,
        }
      );
    },
  },
]);
