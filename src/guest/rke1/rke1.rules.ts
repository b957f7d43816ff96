import {
  CREDENTIAL_NAME,
  HARVESTER_CONFIG_FIELD,
  MAX_DELETE_NOT_READY,
  NODE_TEMPLATE_NAMESPACE,
  RKE1_CONFIG,
  RKE1_END_OF_LIFE,
  RKE1_REFUSED,
} from './rke1.kind';
import { isLate } from '../../core/late/late-token';
import {
  Manifest,
  isRecord,
  itemsAt,
  kindKey,
  objectLabel,
  valueAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem, problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { usedBy } from '../../core/rule/kit/relations';
import { matches } from '../../core/rule/kit/values';
import { JudgedObject, JudgedTarget, Rule, World } from '../../core/rule/rule';
import { givenValue, plainText } from '../../core/text/plain-text';
import { byObject, grouped } from '../../core/text/values';
import { lacksFeature } from '../../core/version/target-features';
import { MIRRORED_CLUSTER_ID, NOT_MIRRORED } from '../../rancher/cluster/cluster.facts';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { PROVIDER_NAME } from '../cluster/cluster.kind';
import { checkMachineSwitches } from '../machine-config/machine-config.check';
import { checkDisks, checkInterfaces, checkVgpus } from '../machine-config/machine-json.check';
import { GuestGate } from '../version/guest-gates.data';

const CLUSTER = 'management.cattle.io/Cluster';
const TEMPLATE_KIND = 'management.cattle.io/NodeTemplate';
const POOL_KIND = 'management.cattle.io/NodePool';
const SECRET_KIND = kindKey('', 'Secret');
const NODE_KINDS: readonly string[] = [TEMPLATE_KIND, POOL_KIND];
const NODE = 'rancher/rancher:pkg/controllers/management/node/controller.go';
const POOL = 'rancher/rancher:pkg/controllers/management/nodepool/nodepool.go';

function* checkCredential(manifest: Manifest): Iterable<Problem> {
  const credential = valueAt(manifest.spec, 'cloudCredentialName');
  const path = 'spec.cloudCredentialName';
  const fix = `write ${GLOBAL_DATA}:<name>`;
  if (isLate(credential) || CREDENTIAL_NAME.test(plainText(credential))) {
    return;
  }
  if (!credential) {
    // a kubeconfig in the template works, too
    if (valueAt(manifest, HARVESTER_CONFIG_FIELD, 'kubeconfigContent')) {
      return;
    }
    yield { path, message: 'must be set: Rancher needs it to reach Harvester', fix };
  } else if (/^[^:]*:[^:]+$/.test(plainText(credential))) {
    yield {
      path,
      value: credential,
      level: 'warning',
      message: `must begin with ${GLOBAL_DATA}, where Rancher looks for it in any case`,
      fix,
    };
  } else {
    yield {
      path,
      value: credential,
      message: 'must name a credential',
      fix,
      says: `invalid credential id ${plainText(credential)}`,
    };
  }
}

function* checkTemplate(object: JudgedObject, world: World): Iterable<Problem> {
  const text = valueAt(object.manifest.spec, 'nodeTemplateName');
  if (isLate(text)) {
    return;
  }
  const [namespace, name, more] = plainText(text).split(':');
  const path = 'spec.nodeTemplateName';
  if (!namespace || !name || more !== undefined) {
    yield {
      path,
      ...givenValue(text),
      message: 'must name a node template',
      fix: `write ${NODE_TEMPLATE_NAMESPACE}:<name>`,
    };
    return;
  }
  if (
    world.ofKind(GROUPS.MANAGEMENT, 'NodeTemplate').length === 0 ||
    world.find(object, GROUPS.MANAGEMENT, 'NodeTemplate', namespace, name)
  ) {
    return;
  }
  yield {
    path,
    value: text,
    level: 'warning',
    message: 'does not match any known node template',
    fix: 'declare it, or check its name',
    says: `nodetemplates.management.cattle.io "${name}" not found`,
  };
}

/** The specs of node pools by `<target> <cluster>`, computed once a world. */
const poolsOf = byObject((world: World): ReadonlyMap<string, readonly unknown[]> => {
  const pools = grouped(
    world.ofKind(GROUPS.MANAGEMENT, 'NodePool'),
    ({ manifest, target }) => `${target.name} ${manifest.metadata.namespace ?? ''}`,
  );
  return new Map([...pools].map(([key, list]) => [key, list.map(({ manifest }) => manifest.spec)]));
});

/** The secrets in a manifest, with their paths. */
function secretsOf(manifest: Manifest): ReadonlyArray<readonly [path: string, text: unknown]> {
  if (manifest.kind === 'NodeTemplate') {
    return ['sshPassword', 'kubeconfigContent'].map((field) => [
      `${HARVESTER_CONFIG_FIELD}.${field}`,
      valueAt(manifest, HARVESTER_CONFIG_FIELD, field),
    ]);
  }
  const path = `spec.${RKE1_CONFIG}`;
  return [
    [
      `${path}.cloudProvider.harvesterCloudProvider.cloudConfig`,
      valueAt(manifest.spec, RKE1_CONFIG, 'cloudProvider', 'harvesterCloudProvider', 'cloudConfig'),
    ],
    ...itemsAt(manifest.spec, RKE1_CONFIG, 'privateRegistries').map(
      (registry, index) =>
        [`${path}.privateRegistries[${index}].password`, valueAt(registry, 'password')] as const,
    ),
  ];
}

const CLUSTER_TEMPLATE = 'management.cattle.io/ClusterTemplate';
const INSTEAD = 'use GuestCluster, a provisioning Cluster with RKE2 or K3s';

/** Whether a Rancher has RKE1: another rule reports the others. */
function hasRke1(target: JudgedTarget): boolean {
  return lacksFeature(target, GuestGate.RKE1) === undefined;
}

function isRke1({ spec }: Manifest): boolean {
  return isRecord(valueAt(spec, RKE1_CONFIG));
}

const checkPlain = matches(() => false, {
  value: undefined,
  message: 'must not be a secret in plain text, which everyone who can read the manifests sees',
  fix: 'use an account that the program creates, or keep the output out of Git',
});

/** Rules for RKE1. */
export const RKE1_RULES: readonly Rule[] = [
  ...rules(
    {
      kinds: [CLUSTER],
      level: 'warning',
      when: ({ manifest, target }) => isRke1(manifest) && hasRke1(target),
    },
    [
      {
        id: 'guest/rke1-deprecated',
        what: `RKE1 reached its end of life on ${RKE1_END_OF_LIFE}: Rancher 2.12 and Harvester 1.6 do not support it`,
        source:
          'https://www.suse.com/c/rke-end-of-life-by-july-2025-replatform-to-rke2-or-k3s/; harvester/docs v1.6',
        judge: () => ({
          path: `spec.${RKE1_CONFIG}`,
          message: `should not be used: RKE1 reached its end of life on ${RKE1_END_OF_LIFE}, and neither Rancher 2.12 nor Harvester 1.6 supports it`,
          fix: `${INSTEAD}, and move the workloads: there is no upgrade from RKE1`,
        }),
      },
      {
        id: 'guest/rke1-cluster-id',
        what: 'an RKE1 cluster has the ID c- and five characters: for other IDs Rancher creates no provisioning Cluster',
        source:
          'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go generateProvisioningClusterFromLegacyCluster',
        field: 'metadata.name',
        check: matches(MIRRORED_CLUSTER_ID, {
          message: NOT_MIRRORED,
          fix: 'use such a name for a new cluster; the name of an existing cluster is immutable',
        }),
      },
      {
        id: 'guest/rke1-roles',
        what: 'the node pools of an RKE1 cluster together have etcd, control plane and worker, and an odd number of machines with etcd',
        says: 'waiting for etcd and controlplane nodes to be registered',
        source:
          'rancher/rancher:pkg/controllers/management/clusterprovisioner/provisioner.go reconcileRKENodes',
        *judge({ manifest, target }, world) {
          const pools = (
            poolsOf(world).get(`${target.name} ${manifest.metadata.name}`) ?? []
          ).filter((spec) => valueAt(spec, 'quantity') !== 0);
          // nodes may be added manually
          if (pools.length === 0) {
            return;
          }
          const absent = [
            ['etcd', 'etcd'],
            ['controlPlane', 'control plane'],
            ['worker', 'worker'],
          ]
            .filter(([role]) => pools.every((spec) => valueAt(spec, role) !== true))
            .map(([, words]) => words);
          if (absent.length > 0) {
            yield {
              path: `spec.${RKE1_CONFIG}`,
              message: `must have a node pool with the role ${absent.join(', and one with ')}: otherwise the cluster never becomes ready`,
              fix: 'give each role to a NodePool',
            };
          }
          const etcd = pools
            .filter((spec) => valueAt(spec, 'etcd') === true)
            .reduce<number>((sum, spec) => {
              const quantity = valueAt(spec, 'quantity');
              return sum + (typeof quantity === 'number' ? quantity : 0);
            }, 0);
          if (etcd > 1 && etcd % 2 === 0) {
            yield {
              path: `spec.${RKE1_CONFIG}`,
              value: etcd,
              message:
                'must have an odd number of machines with etcd: one more machine does not let etcd survive more failures',
              fix: 'use 1, 3 or 5',
            };
          }
        },
      },
    ],
  ),
  ...rules({ kinds: [CLUSTER, CLUSTER_TEMPLATE, ...NODE_KINDS] }, [
    {
      id: 'guest/rke1-removed',
      what: 'Rancher 2.12 and later does not start if there are RKE1 clusters, node templates or cluster templates',
      says: RKE1_REFUSED,
      source:
        'rancher/rancher:pkg/rancher/rancher.go validateRKE1Resources; chart/scripts/pre-upgrade-hook.sh',
      judge: ({ manifest, target }) => {
        const lacks =
          manifest.kind === 'Cluster' && !isRke1(manifest)
            ? undefined
            : lacksFeature(target, GuestGate.RKE1);
        if (!lacks) {
          return undefined;
        }
        if (manifest.kind === 'NodePool') {
          // its definition still exists, and does not prevent the start
          return {
            path: '',
            level: 'warning',
            message: `has no effect: ${lacks}`,
            fix: 'remove it',
          };
        }
        return {
          path: manifest.kind === 'Cluster' ? `spec.${RKE1_CONFIG}` : '',
          message: `${lacks}, and Rancher does not start while this ${manifest.kind} exists`,
          fix: `remove it and delete the live object; ${INSTEAD}`,
        };
      },
    },
  ]),
  ...rules({ kinds: [TEMPLATE_KIND], when: ({ target }) => hasRke1(target) }, [
    {
      id: 'guest/rke1-node-template',
      what: `a NodeTemplate for Harvester has ${HARVESTER_CONFIG_FIELD} next to spec, a credential in ${GLOBAL_DATA}, and is in namespace ${NODE_TEMPLATE_NAMESPACE}`,
      source: `${NODE} refreshNodeConfig, setCredFields; rancher/rancher:pkg/controllers/management/nodetemplate/nodetemplate.go`,
      when: ({ manifest }) => valueAt(manifest.spec, 'driver') === PROVIDER_NAME,
      *judge({ manifest }) {
        const { namespace } = manifest.metadata;
        if (namespace !== NODE_TEMPLATE_NAMESPACE) {
          yield {
            path: 'metadata.namespace',
            ...givenValue(namespace),
            level: 'warning',
            message: `must be ${NODE_TEMPLATE_NAMESPACE}: Rancher moves node templates there under another name, and the next apply creates this one again`,
            fix: `use ${NODE_TEMPLATE_NAMESPACE}`,
          };
        }
        yield* checkCredential(manifest);
        const config = manifest[HARVESTER_CONFIG_FIELD];
        if (!isRecord(config)) {
          yield {
            path: HARVESTER_CONFIG_FIELD,
            message: isRecord(valueAt(manifest.spec, HARVESTER_CONFIG_FIELD))
              ? 'must be at the top level: it is below spec'
              : 'must be set',
            fix: 'write the fields of the machine at the top level, next to spec',
            says: 'refreshNodeConfig: node config not specified',
          };
          return;
        }
        for (const check of [checkMachineSwitches, checkDisks, checkInterfaces, checkVgpus]) {
          for (const problem of check(config)) {
            yield { ...problem, path: `${HARVESTER_CONFIG_FIELD}.${problem.path}` };
          }
        }
      },
    },
  ]),
  ...rules({ kinds: [POOL_KIND], when: ({ target }) => hasRke1(target) }, [
    {
      id: 'guest/rke1-node-pool',
      what: 'a NodePool is in the namespace of its cluster and has a node template and a prefix for the names of its machines',
      source: `${POOL} createOrCheckNodes; ${NODE} getNodeTemplate`,
      *judge(object, world) {
        const { spec } = object.manifest;
        const { namespace } = object.manifest.metadata;
        const cluster = valueAt(spec, 'clusterName');
        if (cluster !== namespace && !isLate(cluster) && !isLate(namespace)) {
          yield {
            path: 'spec.clusterName',
            ...givenValue(cluster),
            level: 'warning',
            message: `must be ${namespace ?? ''}, the namespace of the object, by which Rancher assigns machines to clusters`,
            fix: 'use the management cluster ID for both',
          };
        }
        if (!valueAt(spec, 'hostnamePrefix')) {
          yield {
            path: 'spec.hostnamePrefix',
            message: 'must be set: otherwise the machines of all clusters are named 1, 2, 3',
            fix: 'set it, e.g. to shop-all-',
          };
        }
        yield* checkTemplate(object, world);
        const patience = valueAt(spec, 'deleteNotReadyAfterSecs');
        if (typeof patience === 'number' && (patience < 0 || patience > MAX_DELETE_NOT_READY)) {
          yield {
            path: 'spec.deleteNotReadyAfterSecs',
            value: patience,
            level: 'warning',
            message: `must be a number from 0 to ${MAX_DELETE_NOT_READY}`,
            fix: 'use such a number',
          };
        }
        if (['etcd', 'controlPlane', 'worker'].every((role) => valueAt(spec, role) !== true)) {
          yield {
            path: 'spec',
            level: 'warning',
            message: 'must have a role: without one its machines are workers',
            fix: 'set etcd, controlPlane or worker to true',
          };
        }
      },
    },
  ]),
  ...rules({ kinds: [TEMPLATE_KIND, SECRET_KIND] }, [
    {
      id: 'guest/rke1-deleted-in-use',
      what: 'node templates are deleted after the node pools that use them, and credentials after node templates: otherwise virtual machines are never deleted',
      source: `${NODE} refreshNodeConfig, which a removal begins with`,
      when: ({ manifest }) =>
        manifest.kind === 'NodeTemplate' || manifest.metadata.namespace === GLOBAL_DATA,
      judgeDeletion: usedBy({
        by: [
          [GROUPS.MANAGEMENT, 'NodePool'],
          [GROUPS.MANAGEMENT, 'NodeTemplate'],
        ],
        uses: (user, used) => {
          const { kind } = used.manifest;
          const { name, namespace = '' } = used.manifest.metadata;
          const field = kind === 'NodeTemplate' ? 'nodeTemplateName' : 'cloudCredentialName';
          return valueAt(user.manifest.spec, field) === `${namespace}:${name}`;
        },
        problem: ([user]) => ({
          message: `must not be deleted while ${objectLabel(user.manifest)} uses it to create and delete machines`,
          fix: 'delete the management Cluster first, and wait until its namespace is gone',
        }),
      }),
    },
  ]),
  ...rules({ kinds: [CLUSTER, TEMPLATE_KIND] }, [
    {
      id: 'guest/rke1-plain-secret',
      plainFiles: true,
      level: 'warning',
      what: 'kubeconfigs and passwords in RKE1 clusters and node templates are plain text, in Git and on Rancher',
      source:
        'rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go; Rancher moves those of registries into Secrets, pkg/controllers/management/secretmigrator',
      judge: ({ manifest }) =>
        problemsOf(secretsOf(manifest), ([path, secret]) => checkPlain(path, secret)),
    },
  ]),
];
