import { valueBeside } from './entry/setting.facts';
import { isLate } from '../../core/late/late-token';
import { labelsOf, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, World } from '../../core/rule/rule';
import { jsonOf } from '../../core/text/values';
import { harvesterVersionOf } from '../version/harvester-version';

const SETTING = 'cluster-pod-security-standard';
/** The first version with the setting. */
const FIRST = '1.8.0';
const VALIDATOR = 'harvester/harvester:pkg/webhook/resources/namespace/validator.go';
const CONTROLLER =
  'harvester/harvester:pkg/controller/master/setting/cluster_pod_security_standard.go';
const PREFIX = 'pod-security.kubernetes.io/';
/** The labels that Harvester compares, and those of them that its controller writes. */
const LABELS = ['enforce', 'audit', 'warn'].flatMap((mode) => [
  `${PREFIX}${mode}`,
  `${PREFIX}${mode}-version`,
]);
const ENFORCE = `${PREFIX}enforce`;
const ENFORCE_VERSION = `${PREFIX}enforce-version`;
const SAYS = `${SETTING} is enabled, PSS level can only be changed by cluster admin via the setting`;

/**
 * Namespaces that Harvester always leaves out.
 * @see harvester/harvester:pkg/util/constants.go DefaultHarvesterNamespaceWhiteList
 */
const LEFT_OUT: readonly string[] = [
  'calico-apiserver',
  'calico-system',
  'cattle-alerting',
  'cattle-csp-adapter-system',
  'cattle-elemental-system',
  'cattle-epinio-system',
  'cattle-externalip-system',
  'cattle-fleet-local-system',
  'cattle-fleet-system',
  'cattle-gatekeeper-system',
  'cattle-global-data',
  'cattle-global-nt',
  'cattle-impersonation-system',
  'cattle-istio',
  'cattle-istio-system',
  'cattle-logging',
  'cattle-logging-system',
  'cattle-monitoring-system',
  'cattle-neuvector-system',
  'cattle-prometheus',
  'cattle-provisioning-capi-system',
  'cattle-resources-system',
  'cattle-sriov-system',
  'cattle-system',
  'cattle-ui-plugin-system',
  'cattle-windows-gmsa-system',
  'cert-manager',
  'cis-operator-system',
  'fleet-default',
  'ingress-nginx',
  'istio-system',
  'kube-node-lease',
  'kube-public',
  'kube-system',
  'longhorn-system',
  'rancher-alerting-drivers',
  'security-scan',
  'tigera-operator',
  'harvester-system',
  'harvester-public',
  'rancher-vcluster',
  'cattle-dashboards',
  'fleet-local',
  'local',
  'forklift',
];

/** The labels that Harvester writes to a namespace. Undefined if it leaves the namespace alone. */
function writtenLabels(
  object: JudgedObject,
  world: World,
): { readonly [label: string]: string } | undefined {
  const { name } = object.manifest.metadata;
  const text = valueBeside(object, world, SETTING);
  const config = text === undefined || isLate(text) ? undefined : jsonOf(text);
  const isListed = (list: string): boolean =>
    String(valueAt(config, list) ?? '')
      .split(',')
      .includes(name);
  if (
    valueAt(config, 'enabled') !== true ||
    LEFT_OUT.includes(name) ||
    isListed('whitelistedNamespacesList')
  ) {
    return undefined;
  }
  const level = ['restricted', 'privileged'].find((each) => isListed(`${each}NamespacesList`));
  return { [ENFORCE]: level ?? 'baseline', [ENFORCE_VERSION]: 'latest' };
}

/** Rules on the labels of namespaces while Harvester sets their pod security standard. */
export const POD_SECURITY_LABEL_RULES = rules({ kinds: ['/Namespace'], surelyOn: 'harvester' }, [
  {
    id: 'namespace/pod-security',
    what: 'labels of a pod security standard are those of the setting cluster-pod-security-standard while it is enabled: Harvester overwrites others, and refuses their changes',
    // the validator has the words for a creation as well, but is registered for updates alone
    source: `${VALIDATOR} Resource, validatePSSOnNamespaceUpdate, in v1.8.0 to v1.9.0-rc6; ${CONTROLLER} reconcileNamespace`,
    when: ({ target }) => harvesterVersionOf(target)?.isAtLeast(FIRST) !== false,
    *judge(object, world): Iterable<Problem> {
      const written = writtenLabels(object, world);
      const labels = labelsOf(object.manifest);
      for (const key of written ? [ENFORCE, ENFORCE_VERSION] : []) {
        const value = labels[key];
        if (value === undefined || isLate(value) || value === written![key]) {
          continue;
        }
        yield {
          path: `metadata.labels[${key}]`,
          value,
          message: `must be ${written![key]}, which Harvester writes by the setting ${SETTING}: it overwrites other values, and refuses to change them back`,
          fix: `remove the label, and add the namespace to a list of the setting ${SETTING}`,
          says: SAYS,
        };
      }
    },
    *judgeUpdate(object, before, world): Iterable<Problem> {
      if (!writtenLabels(object, world)) {
        return;
      }
      const [now, was] = [object.manifest, before].map(labelsOf);
      for (const key of LABELS.filter((each) => each !== ENFORCE && each !== ENFORCE_VERSION)) {
        if (now![key] === was![key] || isLate(now![key])) {
          continue;
        }
        yield {
          path: `metadata.labels[${key}]`,
          value: now![key],
          message: `cannot be changed while the setting ${SETTING} is enabled`,
          fix: 'keep its value',
          says: SAYS,
        };
      }
    },
  },
]);
