import { DraftProps, FoundObject, StaticCall, call, Surroundings } from '../../core/draft/draft';
import { annotationsOf, isRecord, valueAt, Fields } from '../../core/manifest/manifest';
import { FLEET_DEFAULT } from '../../core/manifest/names';
import { OBJECT_AUTHORIZED } from '../cluster/cluster.kind';
import { fieldsOf, itemsOf } from '../guest-target.adopt';
import { selectorLabels } from '../provisioned-props.adopt';

/** The files of a cluster, and the ConfigMaps that hold them. */
export interface MachineFiles {
  /** The prop `machineFiles`. */
  readonly prop: readonly DraftProps[] | undefined;
  readonly declares: readonly FoundObject[];
}

/**
 * The Secret of a pod security template, which Rancher's webhook adds.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/mutator.go
 */
const TEMPLATE_SECRET = /-admission-configuration-psact$/;

/** The entries of `machineSelectorFiles`, as a program writes them. */
export function machineFilesOf(
  entries: readonly Fields[],
  cluster: FoundObject,
  around: Surroundings,
): MachineFiles {
  const declares: FoundObject[] = [];
  const files = entries.map(({ machineLabelSelector, fileSources }) => ({
    machines: selectorLabels(machineLabelSelector),
    sources: (itemsOf(fileSources) ?? []).flatMap(
      (source) => sourceOf(fieldsOf(source), cluster, around, declares) ?? [],
    ),
  }));
  return { prop: itemsOf(files.filter(({ sources }) => sources.length > 0)), declares };
}

function sourceOf(
  { secret, configMap }: Fields,
  cluster: FoundObject,
  around: Surroundings,
  declares: FoundObject[],
): StaticCall | undefined {
  const source = fieldsOf(secret ?? configMap);
  const { name, defaultPermissions } = source;
  if (typeof name !== 'string' || (secret && TEMPLATE_SECRET.test(name))) {
    return undefined;
  }
  const items = (itemsOf(source.items) ?? []).filter(isRecord);
  const own = secret ? undefined : textOf(name, items, cluster, around);
  if (own && defaultPermissions === undefined) {
    declares.push(own);
    const [{ path, permissions, dynamic }] = items;
    const options = [permissions, dynamic].some((each) => each !== undefined)
      ? [{ permissions, dynamic } as DraftProps]
      : [];
    return call(
      'MachineFileSource',
      'text',
      path as string,
      String(valueAt(own.manifest, 'data', 'content')),
      ...options,
    );
  }
  return call('MachineFileSource', secret ? 'fromSecretName' : 'fromConfigMapName', {
    name,
    items: items.map(
      ({ key, path, permissions, dynamic, hash }) =>
        ({ key, path, permissions, dynamic, hash }) as DraftProps,
    ),
    defaultPermissions: defaultPermissions as string | undefined,
  });
}

/** The ConfigMap of a file whose text the program contains; undefined for one of others. */
function textOf(
  name: string,
  items: readonly Fields[],
  { target, manifest }: FoundObject,
  around: Surroundings,
): FoundObject | undefined {
  const { name: cluster, namespace = FLEET_DEFAULT } = manifest.metadata;
  if (items.length !== 1 || items[0].key !== 'content' || !name.startsWith(`${cluster}-file`)) {
    return undefined;
  }
  return around
    .objects(target, '/ConfigMap')
    .find(
      (each) =>
        each.manifest.metadata.name === name &&
        each.manifest.metadata.namespace === namespace &&
        annotationsOf(each.manifest)[OBJECT_AUTHORIZED] === cluster &&
        typeof valueAt(each.manifest, 'data', 'content') === 'string',
    );
}
