import { tokenOf } from './registration-token.adopt';
import { registrationDraft, registrationReferences } from './registration.adopt';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  FoundCluster,
  FoundObject,
  TargetReference,
  Inverse,
  Surroundings,
  textAt,
  unless,
} from '../../core/draft/draft';
import { Manifest, labelsOf } from '../../core/manifest/manifest';
import {
  API_VERSIONS,
  FLEET_DEFAULT,
  GROUPS,
  LOCAL_CLUSTER,
  SETTING_REGISTRATION_URL,
} from '../../core/manifest/names';
import { isCluster } from '../../guest/cluster/cluster.kind';
import {
  MANAGEMENT_CLUSTER,
  clusterIdProp,
  existingIdProp,
  clusterProps,
  providesCluster,
} from '../../guest/provisioning-cluster.adopt';
import {
  LABEL_PROVIDER,
  LEGACY_CLUSTER_ID,
  PROVIDER_HARVESTER,
  isProvisioned,
  managementClusterIdOf,
  clusterProviderOf,
} from '../cluster/cluster.facts';

const PROVISIONING_CLUSTER = `${GROUPS.PROVISIONING}/Cluster`;

/**
 * From the provisioning Cluster of an imported Harvester to the construct, with the Setting that
 * registers the Harvester.
 */
export const HARVESTER_IMPORT_INVERSE: Inverse = {
  kinds: [PROVISIONING_CLUSTER],
  on: TargetKind.RANCHER,
  leftOut: ({ manifest }, around) => {
    if (manifest.metadata.name === LOCAL_CLUSTER) {
      return 'is the cluster that Rancher runs on';
    }
    const id = managementClusterIdOf(manifest);
    if (!isProvisioned(manifest) && id !== undefined && LEGACY_CLUSTER_ID.test(id)) {
      return 'Rancher mirrors it from a cluster that was imported in its UI';
    }
    return isImportedHarvester(manifest) && !harvesterOf(manifest, around)
      ? 'its Harvester was not read, so that the program refers to it by its ID'
      : undefined;
  },
  drafts: (object, around) => {
    const harvester = isImportedHarvester(object.manifest)
      ? harvesterOf(object.manifest, around)
      : undefined;
    return harvester === undefined ? [] : importDrafts(object, harvester, around);
  },
  undeclared: ({ manifest }) =>
    isProvisioned(manifest) || isImportedHarvester(manifest)
      ? undefined
      : 'ImportedCluster declares a cluster by its object in management.cattle.io alone',
};

/** How a program refers to clusters of Rancher that it does not declare. */
export const MANAGED_CLUSTER_INVERSE: Inverse = {
  kinds: [MANAGEMENT_CLUSTER],
  notPlain: ({ target, manifest }, around) =>
    provisioningOf(target, manifest.metadata.name, around)
      ? 'Rancher has it for a Cluster in provisioning.cattle.io'
      : undefined,
  existing: ({ target, name: clusterId }, around) => {
    const cluster = provisioningOf(target, clusterId, around);
    const at = around.targetOf(clusterId);
    const version = cluster && textAt(cluster, 'spec', 'kubernetesVersion');
    if (cluster && isProvisioned(cluster) && version !== undefined && at === undefined) {
      const { name, namespace } = cluster.metadata;
      const props = {
        name,
        fleetWorkspace: unless(namespace, FLEET_DEFAULT),
        kubernetesVersion: version,
        clusterId,
      };
      return { type: 'GuestCluster', method: 'fromName', id: name, props };
    }
    const isHarvester = at !== undefined && around.cluster(at).kind === TargetKind.HARVESTER;
    const found = around.find({
      target,
      group: GROUPS.MANAGEMENT,
      kind: 'Cluster',
      name: clusterId,
    });
    const provider = found && clusterProviderOf(found.manifest);
    const isOther =
      clusterId === LOCAL_CLUSTER ||
      (!isHarvester && provider !== undefined && provider !== PROVIDER_HARVESTER);
    const reference = at === undefined ? undefined : new TargetReference(at);
    return {
      type: isOther ? 'ImportedCluster' : 'HarvesterImport',
      method: 'fromClusterId',
      id:
        (isHarvester ? at : undefined) ??
        cluster?.metadata.name ??
        (found && textAt(found.manifest, 'spec', 'displayName')) ??
        clusterId,
      props: {
        clusterId,
        ...(isOther
          ? { clusterTarget: reference }
          : { harvester: isHarvester ? reference : undefined }),
      },
    };
  },
};

/** The provisioning Cluster of a management cluster, declared or not. */
function provisioningOf(
  target: string,
  clusterId: string,
  around: Surroundings,
): Manifest | undefined {
  return around
    .cluster(target)
    .objects.map(({ manifest }) => manifest)
    .find((each) => isCluster(each) && managementClusterIdOf(each) === clusterId);
}

/** The Setting of a Harvester that registers it, where no import declares it. */
export const REGISTRATION_INVERSE: Inverse = {
  kinds: [`${GROUPS.HARVESTER}/Setting`],
  drafts: (object, around) =>
    isRegistration(object) ? (registrationDraft(object, around) ?? []) : [],
  notPlain: (object) => (isRegistration(object) ? 'contains a registration token' : undefined),
};

function isRegistration({ manifest }: FoundObject): boolean {
  const { apiVersion } = manifest;
  const { name } = manifest.metadata;
  return apiVersion === API_VERSIONS.HARVESTER && name === SETTING_REGISTRATION_URL;
}

function isImportedHarvester(manifest: Manifest): boolean {
  return labelsOf(manifest)[LABEL_PROVIDER] === PROVIDER_HARVESTER && !isProvisioned(manifest);
}

/** The target of an imported Harvester: by its ID, otherwise by its name. */
function harvesterOf(manifest: Manifest, around: Surroundings): string | undefined {
  const id = managementClusterIdOf(manifest);
  const given = around.clusters.find(({ importedAs }) => importedAs === manifest.metadata.name);
  const name =
    given?.name ?? (id === undefined ? undefined : around.targetOf(id)) ?? manifest.metadata.name;
  const harvesters = around.clusters.filter(({ kind }) => kind === TargetKind.HARVESTER);
  return (harvesters.find((cluster) => cluster.name === name) ?? onlyOne(manifest, around))?.name;
}

/**
 * The only Harvester that was read, for the only imported one of manifests, which need not contain
 * the ID. A live Harvester names it.
 */
function onlyOne(manifest: Manifest, around: Surroundings): FoundCluster | undefined {
  const [harvester, ...others] = around.clusters.filter(
    ({ kind }) => kind === TargetKind.HARVESTER,
  );
  const imports = around.clusters
    .flatMap(({ objects }) => objects)
    .filter((each) => isCluster(each.manifest) && isImportedHarvester(each.manifest));
  const isOnly = others.length === 0 && imports.length === 1 && harvester?.importedAs === undefined;
  return isOnly && managementClusterIdOf(manifest) === undefined ? harvester : undefined;
}

function importDrafts(
  object: FoundObject,
  harvester: string,
  around: Surroundings,
): readonly Draft[] {
  const { target, manifest } = object;
  const { name, namespace } = manifest.metadata;
  const clusterId = managementClusterIdOf(manifest);
  const registration =
    clusterId === undefined ? undefined : registrationReferences(harvester, clusterId, around);
  const { token, declares: tokens = [] } =
    clusterId === undefined ? {} : tokenOf(target, clusterId, registration?.token, around);
  const props = {
    harvester: new TargetReference(harvester),
    name: unless(name, harvester),
    fleetWorkspace: unless(namespace, FLEET_DEFAULT),
    clusterId: clusterIdProp(object),
    registrationToken: token,
    register: registration ? undefined : false,
    insecureSkipTlsVerify: registration?.insecureSkipTlsVerify,
    ...clusterProps(object, around),
  };
  const declares = [object, ...(registration ? [registration.setting] : []), ...tokens];
  const draft: Draft = {
    type: 'HarvesterImport',
    id: name,
    isNamedById: false,
    props,
    declares,
    provides: providesCluster(object),
  };
  // projects and tokens of the program have the import write the namespace of the cluster
  const own = around
    .objects(target, '/Namespace')
    .filter((each) => each.manifest.metadata.name === clusterId);
  // a file may lack that namespace, which Rancher creates too
  const existing: Draft = {
    ...draft,
    props: { ...props, clusterId: existingIdProp(object) },
    // the construct takes the ID by its prop alone
    sharesMetadata: true,
  };
  const drafts = [
    ...(own.length > 0 ? [{ ...draft, declares: [...declares, ...own] }] : []),
    draft,
    ...(clusterId === undefined ? [] : [existing]),
  ];
  return [...drafts, ...drafts.map((each) => withLabelsOf(object, each, around))];
}

/** A draft whose objects all have the labels and annotations of the Cluster. */
function withLabelsOf(object: FoundObject, draft: Draft, around: Surroundings): Draft {
  const { labels, annotations } = around.cleaned(object).metadata;
  const { [LABEL_PROVIDER]: _, ...own } = labels ?? {};
  return {
    ...draft,
    props: { ...draft.props, labels: own, annotations },
    sharesMetadata: false,
  };
}
