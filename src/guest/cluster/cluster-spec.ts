import { checkDataDirectories } from './cluster.check';
import { ClusterOperations, ProvisionedClusterProps } from './provisioned-cluster-props';
import { IRancherTarget, checkTargetName } from '../../core/construct/target';
import { isRecord } from '../../core/manifest/manifest';
import { RFC1123_LABEL } from '../../core/manifest/names';
import { checkCertificates } from '../../core/problem/certificates';
import { checkWholeNumber, Problem } from '../../core/problem/problem';
import { filledList } from '../../core/text/values';
import { GateId } from '../../core/version/feature-gate';
import { FeatureGates } from '../../core/version/feature-gates';
import { toYaml } from '../../core/yaml/yaml-writer';
import {
  LABEL_PROVIDER,
  LEGACY_CLUSTER_ID,
  PROVIDER_HARVESTER,
} from '../../rancher/cluster/cluster.facts';
import {
  agentSpec,
  checkAgents,
  agentEnv,
  checkClusterId,
  checkOwnAnnotations,
} from '../../rancher/cluster/managed-cluster';
import { checkAgentEnvVars } from '../../rancher/cluster/provisioning-cluster.check';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { AuthorizedEndpoint } from '../endpoint/authorized-endpoint';
import { checkEtcd, etcdSpec } from '../etcd/etcd-backup';
import { DistributionVersions } from '../kubernetes/kubernetes-config';
import { checkSelectors, machineSelectorSpec } from '../machine-file/machine-file';
import { ClusterContext, ClusterParts, ClusterFields } from '../parts/cluster-parts';
import { checkRegistries } from '../registries/registries';
import { checkUpgrade, upgradeSpec } from '../upgrade/upgrade-strategy';
import { GuestGate } from '../version/guest-gates.data';

/**
 * The parts of a Cluster that depend on what creates its machines, and what is written before the
 * Cluster.
 */
export interface ClusterPieces {
  readonly credentialName?: string;
  /** Entries of `machinePools`; undefined for custom clusters. */
  readonly pools?: readonly ClusterFields[];
  /**
   * The props by the fields of the Cluster that hold them.
   * @default - fields and props have the same names
   */
  readonly props?: { readonly [field: string]: string };
  readonly hostnameLengthLimit?: number;
  /** The authorized endpoint, if an endpoint of the control plane sets it. */
  readonly authorizedEndpoint?: AuthorizedEndpoint;
  readonly registries?: ClusterFields;
  readonly selectorFiles: readonly ClusterFields[];
  /** Annotations of the Cluster. */
  readonly annotations?: { readonly [key: string]: string };
}

/**
 * The spec of a provisioning Cluster with `rkeConfig`, without the fields that the server sets or
 * does not need.
 */
export function clusterSpec(
  props: ProvisionedClusterProps,
  context: ClusterContext,
  parts: ClusterParts,
  pieces: ClusterPieces,
): ClusterFields {
  const {
    clusterAgent,
    fleetAgent,
    webhook,
    kubernetes: { _distribution: distribution },
    operations = {},
    adopted: { uiDefaults = true } = {},
  } = props;
  return {
    agentEnvVars: agentEnv(props.agentEnvVars),
    cloudCredentialSecretName: pieces.credentialName,
    ...agentSpec({ clusterAgent, fleetAgent, webhook }),
    defaultPodSecurityAdmissionConfigurationTemplateName: podSecurityTemplateOf(
      props,
      context.rancherVersion,
    ),
    enableNetworkPolicy: props.enableNetworkPolicy,
    kubernetesVersion: context.kubernetesVersion.toString(),
    localClusterAuthEndpoint: authEndpointSpec(
      props.authorizedEndpoint ?? pieces.authorizedEndpoint,
    ),
    redeploySystemAgentGeneration: operations.redeploySystemAgent,
    rkeConfig: {
      additionalManifest: filledList([...parts.manifests, ...(props.additionalManifests ?? [])])
        ?.map((manifest) => toYaml(manifest))
        .join('---\n'),
      chartValues: filled(parts.chartValues),
      dataDirectories: props.dataDirectories && { ...props.dataDirectories },
      etcd: uiDefaults || props.etcd ? etcdSpec(props.etcd) : undefined,
      ...operationsSpec(props),
      machineGlobalConfig: uiDefaults
        ? { ...distribution.globalDefaults, ...parts.globalConfig }
        : filled(parts.globalConfig),
      machinePoolDefaults:
        pieces.hostnameLengthLimit === undefined
          ? undefined
          : { hostnameLengthLimit: pieces.hostnameLengthLimit },
      machinePools: pieces.pools,
      machineSelectorConfig: machineSelectorSpec(
        { ...selectorDefaults(props, parts), ...parts.selectorConfig },
        props.machineSelectors ?? [],
      ),
      machineSelectorFiles: pieces.selectorFiles.length > 0 ? pieces.selectorFiles : undefined,
      networking: props.stackPreference && { stackPreference: props.stackPreference },
      registries: pieces.registries,
      upgradeStrategy: upgradeSpec(props.upgradeStrategy),
    },
  };
}

// these keys win over machineGlobalConfig, so a default must not replace a key of the user
function selectorDefaults(
  { kubernetes, adopted = {} }: ProvisionedClusterProps,
  { globalConfig }: ClusterParts,
): ClusterFields {
  const { uiDefaults = true } = adopted;
  return !uiDefaults
    ? {}
    : Object.fromEntries(
        Object.entries(kubernetes._distribution.selectorDefaults).filter(
          ([key]) => !(key in globalConfig),
        ),
      );
}

/**
 * The pod security admission template: the one of the user, or the one that the Kubernetes options
 * imply if Rancher supports templates.
 */
export function podSecurityTemplateOf(
  { podSecurityTemplate, kubernetes }: ProvisionedClusterProps,
  rancher: RancherVersion,
): string | undefined {
  const implied = FeatureGates.of(GuestGate.POD_SECURITY_TEMPLATE).supports(rancher)
    ? kubernetes._distribution.podSecurityTemplate
    : undefined;
  return podSecurityTemplate === '' ? undefined : (podSecurityTemplate ?? implied);
}

function operationsSpec({ operations = {} }: ProvisionedClusterProps): ClusterFields {
  const { rotateCertificates, rotateEncryptionKeys, createSnapshot, restoreSnapshot, provision } =
    operations;
  return {
    etcdSnapshotCreate: generation(createSnapshot),
    etcdSnapshotRestore: restoreSnapshot && {
      generation: restoreSnapshot.generation,
      name: restoreSnapshot.name,
      restoreRKEConfig: restoreSnapshot.mode ?? 'none',
    },
    provisionGeneration: provision,
    rotateCertificates: rotateCertificates && {
      generation: rotateCertificates.generation,
      services: rotateCertificates.services?.map(({ name }) => name),
    },
    rotateEncryptionKeys: generation(rotateEncryptionKeys),
  };
}

function generation(count: number | undefined): ClusterFields | undefined {
  return count === undefined ? undefined : { generation: count };
}

/** The field `localClusterAuthEndpoint`. */
export function authEndpointSpec(
  endpoint: AuthorizedEndpoint | undefined,
): ClusterFields | undefined {
  return (
    endpoint && {
      enabled: endpoint.enabled ?? true,
      fqdn: endpoint.fqdn,
      caCerts: endpoint.caCertificates,
    }
  );
}

function filled(fields: ClusterFields): ClusterFields | undefined {
  return Object.keys(fields).length > 0 ? fields : undefined;
}

/** Checks the props of a guest cluster. */
export function checkClusterSpec(
  props: ProvisionedClusterProps,
  name: string,
  id: string | undefined,
  rancher: IRancherTarget,
  versions: DistributionVersions,
): Problem[] {
  const { targetName } = props;
  const isNewer = GATES.filter(([, , isSet]) => isSet(props));
  return checkName(name).concat(
    targetName === undefined ? [] : checkTargetName(targetName, targetName),
    checkClusterId(id, name, versions.rancher, props.clusterId),
    checkOwnAnnotations(props.annotations),
    checkLabels(props.labels),
    checkAgents(props, rancher, versions.rancher),
    [...checkAgentEnvVars('agentEnvVars', agentEnv(props.agentEnvVars))],
    isNewer.flatMap(([path, gate]) =>
      FeatureGates.of(gate)._check(path, versions.rancher, 'remove it, or declare a newer Rancher'),
    ),
    [...props.kubernetes._distribution.check(versions)],
    [...checkOptions(props, rancher, versions)],
  );
}

// what few clusters set
function* checkOptions(
  props: ProvisionedClusterProps,
  rancher: IRancherTarget,
  versions: DistributionVersions,
): Iterable<Problem> {
  const {
    authorizedEndpoint,
    dataDirectories,
    etcd,
    upgradeStrategy,
    registries,
    machineFiles,
    machineSelectors,
    additionalManifests,
    operations,
  } = props;
  if (authorizedEndpoint) {
    yield* checkEndpoint(authorizedEndpoint);
  }
  if (dataDirectories) {
    yield* checkDataDirectories('dataDirectories', dataDirectories);
  }
  if (etcd) {
    yield* checkEtcd(etcd, rancher, versions.rancher);
  }
  if (upgradeStrategy) {
    yield* checkUpgrade(upgradeStrategy);
  }
  if (registries) {
    yield* checkRegistries(registries);
  }
  if (machineFiles || machineSelectors) {
    yield* checkSelectors(machineFiles, machineSelectors);
  }
  yield* checkManifests(additionalManifests);
  if (operations) {
    yield* checkGenerations(operations);
  }
}

/**
 * Checks the name of a guest cluster, stricter than the server: the cluster is also a target, whose
 * name is the name of a folder.
 */
export function checkName(name: string): Problem[] {
  return name.length >= 2 && RFC1123_LABEL.test(name) && !LEGACY_CLUSTER_ID.test(name)
    ? []
    : [
        {
          path: 'name',
          value: name,
          message: 'must be an RFC 1123 label, other than "local" and IDs of management clusters',
          fix: 'use 2 to 63 of a-z, 0-9 and hyphens, with a letter or digit at both ends, not "local" and not c- with five characters',
        },
      ];
}

/** Checks the labels of a guest cluster. */
export function checkLabels(labels: ProvisionedClusterProps['labels']): Problem[] {
  return labels?.[LABEL_PROVIDER] !== PROVIDER_HARVESTER
    ? []
    : [
        {
          path: `labels[${LABEL_PROVIDER}]`,
          value: PROVIDER_HARVESTER,
          message: 'cannot be set: Rancher would treat the guest cluster as a Harvester cluster',
          fix: 'leave it out',
        },
      ];
}

/** Props that later versions of Rancher have. */
const GATES: ReadonlyArray<
  readonly [path: string, gate: GateId, isSet: (props: ProvisionedClusterProps) => boolean]
> = [
  ['kubernetes', GuestGate.PROVISIONING_CLUSTER, () => true],
  [
    'dataDirectories',
    GuestGate.DATA_DIRECTORIES,
    ({ dataDirectories }) => dataDirectories !== undefined,
  ],
  [
    'stackPreference',
    GuestGate.STACK_PREFERENCE,
    ({ stackPreference }) => stackPreference !== undefined,
  ],
  [
    'machineFiles',
    GuestGate.MACHINE_SELECTOR_FILES,
    ({ machineFiles }) => machineFiles !== undefined && machineFiles.length > 0,
  ],
  [
    'authorizedEndpoint',
    GuestGate.LOCAL_CLUSTER_AUTH_ENDPOINT,
    ({ authorizedEndpoint }) => authorizedEndpoint !== undefined,
  ],
  [
    'podSecurityTemplate',
    GuestGate.POD_SECURITY_TEMPLATE,
    ({ podSecurityTemplate }) => podSecurityTemplate !== undefined,
  ],
  [
    'operations.rotateCertificates',
    GuestGate.CERTIFICATE_ROTATION,
    ({ operations }) => operations?.rotateCertificates !== undefined,
  ],
  [
    'operations.rotateEncryptionKeys',
    GuestGate.CERTIFICATE_ROTATION,
    ({ operations }) => operations?.rotateEncryptionKeys !== undefined,
  ],
];

/** Checks the authorized cluster endpoint. */
export function* checkEndpoint(authorizedEndpoint: AuthorizedEndpoint): Iterable<Problem> {
  yield* checkCertificates('authorizedEndpoint.caCertificates', authorizedEndpoint.caCertificates);
  if (authorizedEndpoint.caCertificates !== undefined && !authorizedEndpoint.fqdn) {
    yield {
      path: 'authorizedEndpoint.fqdn',
      message: 'must be set together with caCertificates',
      fix: 'set fqdn, or remove caCertificates',
      says: 'CACerts defined but FQDN is not defined',
    };
  }
}

/** Checks the objects that a cluster has from the start. */
export function* checkManifests(objects: readonly unknown[] = []): Iterable<Problem> {
  for (const [index, object] of objects.entries()) {
    if (
      isRecord(object) &&
      ['apiVersion', 'kind'].every((field) => typeof object[field] === 'string') &&
      isRecord(object.metadata)
    ) {
      continue;
    }
    yield {
      path: `additionalManifests[${index}]`,
      message: 'must be a Kubernetes object',
      fix: 'pass an object with apiVersion, kind and metadata, not its text',
    };
  }
}

function* checkGenerations(operations: ClusterOperations): Iterable<Problem> {
  const {
    rotateCertificates,
    rotateEncryptionKeys,
    createSnapshot,
    restoreSnapshot,
    provision,
    redeploySystemAgent,
  } = operations;
  const counts = {
    'rotateCertificates.generation': rotateCertificates?.generation,
    rotateEncryptionKeys,
    createSnapshot,
    'restoreSnapshot.generation': restoreSnapshot?.generation,
    provision,
    redeploySystemAgent,
  };
  for (const [path, count] of Object.entries(counts)) {
    yield* checkWholeNumber(
      `operations.${path}`,
      count,
      1,
      'use another number for each operation',
    );
  }
}
