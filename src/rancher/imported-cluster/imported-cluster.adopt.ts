import {
  Draft,
  DraftProps,
  FoundObject,
  call,
  enumValue,
  Inverse,
  Surroundings,
  listAt,
  mapAt,
  numberAt,
  booleanAt,
  textAt,
  unless,
} from '../../core/draft/draft';
import { Manifest, annotationsOf, labelsOf } from '../../core/manifest/manifest';
import { FLEET_DEFAULT } from '../../core/manifest/names';
import { filledFields } from '../../core/text/values';
import { guestTargetName } from '../../guest/guest-target.adopt';
import { endpointOf } from '../../guest/provisioned-props.adopt';
import {
  MANAGEMENT_CLUSTER,
  clusterProps,
  providesCluster,
} from '../../guest/provisioning-cluster.adopt';
import { RKE1_CONFIG } from '../../guest/rke1/rke1.kind';
import {
  ANNOTATION_OPERATIONS,
  ANNOTATION_VERSION_MANAGEMENT,
  MIRRORED_CLUSTER_ID,
  clusterProviderOf,
} from '../cluster/cluster.facts';
import { tokenOf } from '../import/registration-token.adopt';

/**
 * What another program than the user of Rancher's UI creates.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go ClusterSpec
 */
const OTHERS = [
  RKE1_CONFIG,
  'aksConfig',
  'aliConfig',
  'eksConfig',
  'gkeConfig',
  'genericEngineConfig',
];

/**
 * Labels of clusters that Turtles imports.
 * @see rancher/turtles:internal/controllers/import_controller.go
 */
const TURTLES = 'cluster-api.cattle.io/';

/** From the management Cluster of an imported cluster to the construct. */
export const IMPORTED_CLUSTER_INVERSE: Inverse = {
  kinds: [MANAGEMENT_CLUSTER],
  defaults: {
    'spec.description': '',
    'spec.enableNetworkPolicy': false,
    'spec.localClusterAuthEndpoint.enabled': false,
    'spec.localClusterAuthEndpoint': {},
    'spec.importedConfig': {},
  },
  drafts: (object, around) => (isImported(object.manifest) ? importDrafts(object, around) : []),
};

function isImported(manifest: Manifest): boolean {
  return (
    MIRRORED_CLUSTER_ID.test(manifest.metadata.name) &&
    textAt(manifest, 'spec', 'displayName') !== undefined &&
    clusterProviderOf(manifest) !== 'harvester' &&
    OTHERS.every((config) => mapAt(manifest, 'spec', config) === undefined) &&
    !Object.keys(labelsOf(manifest)).some((label) => label.startsWith(TURTLES))
  );
}

function importDrafts(object: FoundObject, around: Surroundings): Draft[] {
  const { target, manifest } = object;
  const { name: clusterId } = manifest.metadata;
  const name = textAt(manifest, 'spec', 'displayName')!;
  const { token, declares: tokens = [] } = tokenOf(target, clusterId, undefined, around);
  const mirrored = { ...manifest, status: { clusterName: clusterId } };
  const chartOf = guestTargetName(mirrored, around);
  const given = annotationsOf(manifest);
  const version = versionProps(manifest);
  const draft = (method: string): Draft => ({
    type: 'ImportedCluster',
    id: name,
    props: {
      clusterId: call('ClusterId', method, clusterId),
      fleetWorkspace: unless(textAt(manifest, 'spec', 'fleetWorkspaceName'), FLEET_DEFAULT),
      registrationToken: token,
      kubernetesVersion: chartOf === undefined ? undefined : around.cluster(chartOf).version,
      targetName: chartOf === undefined ? undefined : unless(chartOf, name),
      versionManagement: enumValue('FeatureMode', given[ANNOTATION_VERSION_MANAGEMENT]),
      ...version,
      dayTwoOperations: enumValue('FeatureMode', given[ANNOTATION_OPERATIONS]),
      authorizedEndpoint: endpointOf(mapAt(manifest, 'spec', 'localClusterAuthEndpoint')),
      privateRegistry: registryProp(manifest),
      ...clusterProps(object, around),
      description: textAt(manifest, 'spec', 'description'),
    },
    declares: [object, ...tokens],
    provides: providesCluster({ target, manifest: mirrored }),
    chartOf,
  });
  // projects and tokens of the program have the import write the namespace of the cluster
  const own = around
    .objects(target, '/Namespace')
    .filter((each) => each.manifest.metadata.name === clusterId);
  const fixed = draft('fixed');
  return [
    ...(own.length > 0 ? [{ ...fixed, declares: [...fixed.declares, ...own] }] : []),
    draft('existing'),
  ];
}

/**
 * The version that Rancher manages, and how: without its management, Rancher writes the version
 * that it found.
 */
function versionProps(manifest: Manifest): DraftProps {
  if (annotationsOf(manifest)[ANNOTATION_VERSION_MANAGEMENT] !== 'true') {
    return {};
  }
  const distribution = ['rke2', 'k3s'].find(
    (each) => mapAt(manifest, 'spec', `${each}Config`) !== undefined,
  );
  if (distribution === undefined) {
    return {};
  }
  const path = ['spec', `${distribution}Config`, `${distribution}upgradeStrategy`] as const;
  const [controlPlaneConcurrency, workerConcurrency] = [
    'serverConcurrency',
    'workerConcurrency',
  ].map((field) => unless(numberAt(manifest, ...path, field), 1));
  const [drainControlPlane, drainWorkers] = ['drainServerNodes', 'drainWorkerNodes'].map((field) =>
    booleanAt(manifest, ...path, field),
  );
  return {
    kubernetesVersion: textAt(manifest, 'spec', `${distribution}Config`, 'kubernetesVersion'),
    upgradeStrategy: filledFields({
      controlPlaneConcurrency,
      workerConcurrency,
      drainControlPlane,
      drainWorkers,
    }),
  };
}

function registryProp(manifest: Manifest): DraftProps | undefined {
  const host = textAt(manifest, 'spec', 'importedConfig', 'privateRegistryURL');
  const [secret] = listAt(manifest, 'spec', 'importedConfig', 'privateRegistryPullSecrets');
  if (host === undefined) {
    return undefined;
  }
  return {
    host,
    auth: typeof secret === 'string' ? call('RegistryAuth', 'fromSecretName', secret) : undefined,
  };
}
