import { isCluster } from './cluster/cluster.kind';
import { GROUP_MACHINE_CONFIG } from './machine-config/machine-config.kind';
import { referToCluster } from './provisioning-cluster.adopt';
import { TargetKind } from '../core/construct/target';
import {
  DraftProps,
  Expression,
  FoundObject,
  ObjectExpression,
  enumValue,
  inverseOf,
  namespaceProp,
  referOn,
  Surroundings,
} from '../core/draft/draft';
import {
  Manifest,
  annotationsOf,
  isRecord,
  valueAt,
  Fields,
  labelsOf,
} from '../core/manifest/manifest';
import { ANNOTATION_DESCRIPTION, GROUPS } from '../core/manifest/names';
import { filledText } from '../core/text/plain-text';
import {
  LABEL_PROVIDER,
  PROVIDER_HARVESTER,
  managementClusterIdOf,
} from '../rancher/cluster/cluster.facts';
import { CREDENTIAL_KEY } from '../rancher/credential/cloud-credential.facts';

/** The namespace and the description of an object in a guest cluster. */
export function guestProps(object: FoundObject, defaultNamespace = 'default'): DraftProps {
  return {
    namespace: namespaceProp(object, defaultNamespace),
    description: filledText(annotationsOf(object.manifest)[ANNOTATION_DESCRIPTION]),
  };
}

/** The target of a guest cluster, where it was read; undefined otherwise. */
export function guestTargetName(cluster: Manifest, around: Surroundings): string | undefined {
  const guests = around.clusters.filter(({ kind }) => kind === TargetKind.GUEST);
  const id = managementClusterIdOf(cluster);
  const known = id === undefined ? undefined : around.targetOf(id);
  return (
    guests.find(({ name }) => name === known)?.name ??
    guests.find(({ name }) => name === cluster.metadata.name)?.name
  );
}

/** A Harvester that guest clusters run on. */
export interface HarvesterOfGuest {
  readonly target: string;
  /** Its import into Rancher; undefined where it is not known. */
  readonly harvesterImport?: ObjectExpression;
}

/**
 * The Harvester that a cluster of Rancher runs on; undefined where it was not read. It follows from
 * the cloud credentials, the machine configs, the namespace of the machines, or the account of the
 * cloud provider.
 */
export function harvesterOfCluster(
  cluster: FoundObject,
  around: Surroundings,
): HarvesterOfGuest | undefined {
  const { target: rancher } = cluster;
  const pools = machinePoolsOf(cluster);
  const configs = machineConfigsOf(cluster, pools, around);
  const clusterId =
    clusterIdInCredentials(cluster, pools, around) ?? clusterIdInMachineConfigs(configs);
  const imports = harvesterImportsOf(rancher, around);
  const importOfId =
    clusterId === undefined
      ? undefined
      : imports.find(({ manifest }) => managementClusterIdOf(manifest) === clusterId);
  const name =
    (clusterId === undefined ? undefined : around.targetOf(clusterId)) ??
    importOfId?.manifest.metadata.name ??
    // a cluster without pools has no machine configs
    (pools.length > 0 ? undefined : targetWithAccount(cluster, around));
  const harvesters = around.clusters.filter(({ kind }) => kind === TargetKind.HARVESTER);
  const found =
    harvesters.find((each) => each.name === name) ??
    onlyItem(harvesters) ??
    onlyItem(withNamespace(harvesters, configs[0]?.manifest.vmNamespace, around));
  if (!found) {
    return undefined;
  }
  const ownImport =
    importOfId ??
    imports.find(({ manifest }) => manifest.metadata.name === found.name) ??
    onlyItem(imports);
  return {
    target: found.name,
    harvesterImport: referToImport(rancher, clusterId, ownImport),
  };
}

function machinePoolsOf({ manifest }: FoundObject): readonly Fields[] {
  const pools = itemsOf(valueAt(manifest.spec, 'rkeConfig', 'machinePools')) ?? [];
  return pools.map(fieldsOf);
}

/** The machine configs of pools that were read. */
function machineConfigsOf(
  { target, manifest }: FoundObject,
  pools: readonly Fields[],
  around: Surroundings,
): readonly FoundObject[] {
  const { namespace } = manifest.metadata;
  return pools.flatMap(({ machineConfigRef }) => {
    const { kind, name } = fieldsOf(machineConfigRef);
    const config = around.find({
      target,
      group: GROUP_MACHINE_CONFIG,
      kind: String(kind),
      namespace,
      name: String(name),
    });
    return config ?? [];
  });
}

/** The management cluster ID of a Harvester in the cloud credentials of a cluster. */
function clusterIdInCredentials(
  { target, manifest }: FoundObject,
  pools: readonly Fields[],
  around: Surroundings,
): string | undefined {
  for (const { cloudCredentialSecretName } of [fieldsOf(manifest.spec), ...pools]) {
    const id = credentialClusterId(target, cloudCredentialSecretName, around);
    if (id !== undefined) {
      return id;
    }
  }
  return undefined;
}

function clusterIdInMachineConfigs(configs: readonly FoundObject[]): string | undefined {
  return configs.map(({ manifest }): unknown => manifest.clusterId).find(isClusterId);
}

/** The Clusters of a Rancher that import a Harvester. */
function harvesterImportsOf(rancher: string, around: Surroundings): readonly FoundObject[] {
  return around
    .cluster(rancher)
    .objects.filter(
      ({ manifest }) =>
        isCluster(manifest) && labelsOf(manifest)[LABEL_PROVIDER] === PROVIDER_HARVESTER,
    );
}

/** The only Harvester with an account of a cluster, as its cloud provider needs one. */
function targetWithAccount({ manifest }: FoundObject, around: Surroundings): string | undefined {
  const isAccount = (object: FoundObject): boolean =>
    object.manifest.kind === 'ServiceAccount' &&
    object.manifest.metadata.name === manifest.metadata.name;
  const targets = around.clusters.filter(
    ({ kind, objects }) => kind === TargetKind.HARVESTER && objects.some(isAccount),
  );
  return onlyItem(targets)?.name;
}

/** The clusters that have a namespace. */
function withNamespace<T extends { readonly name: string }>(
  clusters: readonly T[],
  namespace: unknown,
  around: Surroundings,
): readonly T[] {
  if (typeof namespace !== 'string') {
    return [];
  }
  return clusters.filter(({ name: target }) =>
    around.find({ target, group: '', kind: 'Namespace', name: namespace }),
  );
}

function referToImport(
  rancher: string,
  clusterId: string | undefined,
  ownImport: FoundObject | undefined,
): ObjectExpression | undefined {
  const id = clusterId ?? (ownImport && managementClusterIdOf(ownImport.manifest));
  if (id !== undefined) {
    return referToCluster(rancher, id);
  }
  if (!ownImport) {
    return undefined;
  }
  const { name, namespace } = ownImport.manifest.metadata;
  return referOn(rancher, `${GROUPS.PROVISIONING}/Cluster`, name, namespace);
}

/** The management cluster ID in a cloud credential. */
function credentialClusterId(
  rancher: string,
  credential: unknown,
  around: Surroundings,
): string | undefined {
  const [namespace, name] = String(credential).split(':');
  const secret =
    name === undefined
      ? undefined
      : around.find({ target: rancher, group: '', kind: 'Secret', namespace, name });
  const id = valueAt(secret?.manifest, 'data', CREDENTIAL_KEY.CLUSTER_ID);
  const text = typeof id === 'string' ? Buffer.from(id, 'base64').toString('utf8') : '';
  return isClusterId(text) ? text : undefined;
}

function isClusterId(id: unknown): id is string {
  return typeof id === 'string' && /^c-|^local$/.test(id);
}

/**
 * The target of the Harvester that the cluster of a target runs on; undefined where it is not
 * known.
 */
export function harvesterOfTarget(guest: string, around: Surroundings): string | undefined {
  const harvesters = around.clusters.filter(({ kind }) => kind === TargetKind.HARVESTER);
  if (harvesters.length <= 1) {
    return harvesters[0]?.name;
  }
  for (const { objects } of around.clusters.filter(({ kind }) => kind === TargetKind.RANCHER)) {
    const cluster = objects.find(
      ({ manifest }) =>
        manifest.kind === 'Cluster' &&
        isRecord(valueAt(manifest, 'spec', 'rkeConfig')) &&
        guestTargetName(manifest, around) === guest,
    );
    if (cluster) {
      return harvesterOfCluster(cluster, around)?.target;
    }
  }
  return undefined;
}

/**
 * A reference to an object of the Harvester of a guest cluster, by `namespace/name`; undefined
 * where the Harvester is not known.
 */
export function onHarvester(
  harvester: string | undefined,
  kind: string,
  name: unknown,
): Expression | undefined {
  if (harvester === undefined || typeof name !== 'string' || name === '') {
    return undefined;
  }
  const [first, second] = name.split('/');
  return second === undefined
    ? referOn(harvester, kind, first)
    : referOn(harvester, kind, second, first);
}

/** A map of texts; undefined for an empty one, and for what is not one. */
export function textMapOf(value: unknown): { readonly [key: string]: string } | undefined {
  const entries = isRecord(value)
    ? Object.entries(value).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      )
    : [];
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The item of a list of one; undefined where there are others, or none. */
function onlyItem<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** A list that has items; undefined for an empty one, and for what is not one. */
export function itemsOf(value: unknown): any[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

/** A JSON object; an empty one for what is not one. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** Tolerations as a program writes them; undefined without any. */
export function tolerationsOf(list: unknown): DraftProps[] | undefined {
  return itemsOf(list)
    ?.filter(isRecord)
    .map(({ operator, effect, ...rest }) => ({
      ...(rest as DraftProps),
      operator: enumValue('TolerationOperator', operator),
      effect: enumValue('TaintEffect', effect),
    }));
}

/** From a Namespace of a guest cluster to the construct. */
export const GUEST_NAMESPACE_INVERSE = inverseOf('GuestNamespace', '/Namespace', () => ({}), {
  on: TargetKind.GUEST,
});
