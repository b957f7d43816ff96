import { TargetKind } from '../core/app/target';
import { DraftProps, Expression, FoundObject, ObjectReference, enumValue } from '../core/draft/draft';
import { Surroundings, namespaceProp, referOn } from '../core/draft/inverse';
import { Manifest, annotationsOf, isRecord, valueAt } from '../core/manifest/manifest';
import { ANNOTATION_DESCRIPTION, GROUPS } from '../core/manifest/names';
import { clusterIdOf, referToCluster } from '../rancher/cluster/cluster.adopt';
import { LABEL_PROVIDER, PROVIDER_HARVESTER } from '../rancher/cluster/cluster.kind';

/** A JSON object. */
interface Fields { readonly [key: string]: unknown }

/** Whether an object is in a guest cluster. */
export function isInGuest({ target }: FoundObject, around: Surroundings): boolean {
  return around.cluster(target).kind === TargetKind.GUEST;
}

/** The namespace and the description of an object in a guest cluster. */
export function guestProps(object: FoundObject, defaultNamespace = 'default'): DraftProps {
  const description = annotationsOf(object.manifest)[ANNOTATION_DESCRIPTION];
  return {
    namespace: namespaceProp(object, defaultNamespace),
    description: typeof description === 'string' && description !== '' ? description : undefined,
  };
}

/** The target of a guest cluster, where it was read; undefined otherwise. */
export function guestTargetOf(cluster: Manifest, around: Surroundings): string | undefined {
  const guests = around.clusters.filter(({ kind }) => kind === TargetKind.GUEST);
  const id = clusterIdOf(cluster);
  const known = id === undefined ? undefined : around.targetOf(id);
  return guests.find(({ name }) => name === known)?.name ?? guests.find(({ name }) => name === cluster.metadata.name)?.name;
}

/** A Harvester that guest clusters run on. */
export interface HarvesterOfGuest {
  readonly target: string;
  /** Its import into Rancher; undefined where it is not known. */
  readonly harvesterImport?: ObjectReference;
}

/**
 * The Harvester that a guest cluster runs on; undefined where it was not read.
 *
 * @param clusterId its management cluster ID, if the cloud credential of the guest cluster is known
 * @param vmNamespace the namespace of the machines
 */
export function harvesterOfCluster(
  rancher: string, clusterId: string | undefined, vmNamespace: unknown, around: Surroundings,
): HarvesterOfGuest | undefined {
  const harvesters = around.clusters.filter(({ kind }) => kind === TargetKind.HARVESTER);
  const byId = clusterId === undefined ? undefined : harvesters.find(({ name }) => name === around.targetOf(clusterId));
  const byNamespace = harvesters.filter(({ name: target }) => (
    typeof vmNamespace === 'string' && around.find({ target, group: '', kind: 'Namespace', name: vmNamespace })));
  const found = byId ?? (harvesters.length === 1 ? harvesters[0] : byNamespace.length === 1 ? byNamespace[0] : undefined);
  if (!found) { return undefined; }
  const imports = around.cluster(rancher).objects.filter(({ manifest }) => isImport(manifest));
  const own = imports.find(({ manifest }) => clusterId !== undefined && clusterIdOf(manifest) === clusterId)
    ?? imports.find(({ manifest: { metadata: { name } } }) => name === found.name) ?? (imports.length === 1 ? imports[0] : undefined);
  const id = clusterId ?? (own && clusterIdOf(own.manifest));
  const harvesterImport = id !== undefined ? referToCluster(rancher, id)
    : own && referOn(rancher, `${GROUPS.PROVISIONING}/Cluster`, own.manifest.metadata.name, own.manifest.metadata.namespace);
  return { target: found.name, harvesterImport };
}

function isImport({ apiVersion, kind, metadata: { labels } }: Manifest): boolean {
  return kind === 'Cluster' && apiVersion.startsWith(`${GROUPS.PROVISIONING}/`) && labels?.[LABEL_PROVIDER] === PROVIDER_HARVESTER;
}

/** The target of the Harvester that the cluster of a target runs on; undefined where it is not known. */
export function harvesterOfTarget(guest: string, around: Surroundings): string | undefined {
  const harvesters = around.clusters.filter(({ kind }) => kind === TargetKind.HARVESTER);
  if (harvesters.length <= 1) { return harvesters[0]?.name; }
  for (const { name: rancher, objects } of around.clusters.filter(({ kind }) => kind === TargetKind.RANCHER)) {
    const cluster = objects.find(({ manifest }) => manifest.kind === 'Cluster' && isRecord(valueAt(manifest, 'spec', 'rkeConfig')) && guestTargetOf(manifest, around) === guest);
    if (cluster) { return harvesterOfCluster(rancher, undefined, undefined, around)?.target; }
  }
  return undefined;
}

/** A reference to an object of the Harvester of a guest cluster, by `namespace/name`; undefined where the Harvester is not known. */
export function onHarvester(harvester: string | undefined, kind: string, name: unknown): Expression | undefined {
  if (harvester === undefined || typeof name !== 'string' || name === '') { return undefined; }
  const [first, second] = name.split('/');
  return second === undefined ? referOn(harvester, kind, first) : referOn(harvester, kind, second, first);
}

/** A map of texts; undefined for an empty one, and for what is not one. */
export function textsOf(value: unknown): { readonly [key: string]: string } | undefined {
  const entries = isRecord(value) ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : [];
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
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
  return itemsOf(list)?.filter(isRecord).map(({ operator, effect, ...rest }) => (
    { ...rest as DraftProps, operator: enumValue('TolerationOperator', operator), effect: enumValue('TaintEffect', effect) }));
}
