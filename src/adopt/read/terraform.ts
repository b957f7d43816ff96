import { IdForm, RESOURCES_WITHOUT_OBJECT, OWNED_KINDS } from './terraform.data';
import { TargetKind } from '../../core/construct/target';
import { FoundObject, FoundCluster } from '../../core/draft/draft';
import { isRecord, objectKey, printName, refKey, itemsAt } from '../../core/manifest/manifest';
import { LOCAL_CLUSTER } from '../../core/manifest/names';
import { quote } from '../../core/text/plain-text';
import { defined, grouped, jsonOf } from '../../core/text/values';

/** The object that a resource of a Terraform state owns. */
export interface OwnedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /**
   * The ID by which Rancher knows the cluster that the object is on.
   * @default - the cluster that the provider is connected to
   */
  readonly clusterId?: string;
}

/** A resource of a Terraform state, without any value of the state but names. */
export interface TerraformResource {
  /** With module, index and key: `module.tenants["a"].rancher2_project.shop[0]`. */
  readonly address: string;
  /** The address that a `removed` block can name: without index and keys. */
  readonly plainAddress: string;
  readonly type: string;
  /** The object that it owns. @default - it owns none, or an unknown one: `reason` */
  readonly object?: OwnedObject;
  /** Why its object is not known, as a clause without its subject. */
  readonly reason?: string;
}

/** A resource as both forms of a state have it. */
interface RawResource {
  readonly address: string;
  readonly plainAddress: string;
  readonly type: string;
  readonly values: unknown;
}

/** The providers whose objects are read, by the prefix of their types. */
const PROVIDERS = /^(rancher2|harvester)_/;

/** The version of state files since Terraform 0.12, and of OpenTofu. */
const STATE_VERSION = 4;

const HOW = 'Fix: set the output of terraform show -json, or of terraform state pull';

/**
 * Reads the resources of a Terraform state: a state file, or the output of `terraform show -json`. Of
 * the values of the providers rancher2 and harvester, only those are read that name the object;
 * of others none.
 *
 * @throws if the text is not a state
 */
export function readState(text: string): readonly TerraformResource[] {
  // the parser's message contains a piece of the text
  const state = jsonOf(text);
  if (state === undefined) {
    throw new Error(`the Terraform state must be JSON. ${HOW}`);
  }
  if (!isRecord(state)) {
    throw new Error(`the Terraform state must be a JSON object. ${HOW}`);
  }
  return [...rawResources(state)].map(resourceOf);
}

function* rawResources(state: { readonly [field: string]: unknown }): Iterable<RawResource> {
  const { version, resources, format_version: format, values, prior_state: prior } = state;
  if (typeof format === 'string') {
    // the output for a saved plan has the state within
    const shown = isRecord(prior) ? prior.values : values;
    if (isRecord(shown) && isRecord(shown.root_module)) {
      yield* shownResources(shown.root_module, '');
    }
  } else if (version === STATE_VERSION) {
    for (const resource of recordsIn(resources)) {
      yield* storedResources(resource);
    }
  } else {
    const got = typeof version === 'number' ? `version ${version}` : 'no version';
    throw new Error(
      `the Terraform state must be of version ${STATE_VERSION}, or the output of terraform show -json, got ${got}. ${HOW}`,
    );
  }
}

/** @see hashicorp/terraform:internal/states/statefile/version4.go resourceStateV4 */
function* storedResources({
  module,
  mode,
  type,
  name,
  instances,
}: {
  readonly [field: string]: unknown;
}): Iterable<RawResource> {
  if (mode !== 'managed' || typeof type !== 'string' || typeof name !== 'string') {
    return;
  }
  const own = `${typeof module === 'string' ? `${module}.` : ''}${type}.${name}`;
  for (const { index_key: key, attributes, deposed } of recordsIn(instances)) {
    // a deposed object is to be deleted
    if (deposed === undefined) {
      yield {
        address: `${own}${indexText(key)}`,
        plainAddress: withoutIndexes(own),
        type,
        values: attributes,
      };
    }
  }
}

/** @see https://developer.hashicorp.com/terraform/internals/json-format#values-representation */
function* shownResources(
  module: { readonly [field: string]: unknown },
  prefix: string,
): Iterable<RawResource> {
  for (const { address, mode, type, name, index, values, deposed_key: deposed } of recordsIn(
    module.resources,
  )) {
    if (
      mode !== 'managed' ||
      typeof type !== 'string' ||
      typeof name !== 'string' ||
      deposed !== undefined
    ) {
      continue;
    }
    const own = `${prefix}${type}.${name}`;
    yield {
      address: typeof address === 'string' ? address : `${own}${indexText(index)}`,
      plainAddress: withoutIndexes(own),
      type,
      values,
    };
  }
  for (const child of recordsIn(module.child_modules)) {
    if (typeof child.address === 'string') {
      yield* shownResources(child, `${child.address}.`);
    }
  }
}

function recordsIn(value: unknown): { readonly [field: string]: unknown }[] {
  return itemsAt(value).filter(isRecord);
}

/**
 * A number, or a text in HCL, where `${` and `%{` begin a template.
 * @see https://developer.hashicorp.com/terraform/language/expressions/strings
 */
function indexText(key: unknown): string {
  return key === undefined || key === null
    ? ''
    : `[${JSON.stringify(key).replace(/([$%])\{/g, '$1$1{')}]`;
}

/** An address without indexes and keys, which may contain brackets and dots. */
export function withoutIndexes(address: string): string {
  return address.replace(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, '');
}

function resourceOf({ address, plainAddress, type, values }: RawResource): TerraformResource {
  const resource = { address, plainAddress, type };
  const attribute = (name: string): string | undefined => {
    const value = isRecord(values) ? values[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  if (!PROVIDERS.test(type)) {
    return { ...resource, reason: 'is of another provider: it remains in the state' };
  }
  const owned = OWNED_KINDS[type];
  if (!owned) {
    return {
      ...resource,
      reason: RESOURCES_WITHOUT_OBJECT[type] ?? 'is of a type that is not known',
    };
  }
  const kind =
    type === 'rancher2_machine_config_v2' ? (attribute('kind') ?? owned.kind) : owned.kind;
  const id = attribute('id');
  if (id === undefined) {
    return { ...resource, reason: 'has no ID in the state' };
  }
  const name = PARSERS[owned.id](id, attribute);
  if (!name) {
    return { ...resource, reason: `has an ID that is not of the form ${owned.id}` };
  }
  const { clusterId: cluster, ...names } = name;
  const clusterId = cluster === LOCAL_CLUSTER ? undefined : cluster;
  return {
    ...resource,
    object: { apiVersion: owned.apiVersion, kind, ...names, ...defined({ clusterId }) },
  };
}

type Named = Pick<OwnedObject, 'namespace' | 'name' | 'clusterId'>;
type Parser = (id: string, attribute: (name: string) => string | undefined) => Named | undefined;

/**
 * The parts of an ID between separators; undefined for another number of parts, or an empty one.
 */
function parts(id: string, pattern: RegExp): string[] | undefined {
  return pattern.exec(id)?.slice(1);
}

/**
 * The ID of the cluster of a project, `<cluster>:<project>`; that of a namespace may be the one of
 * a cluster alone.
 */
function clusterOfProject(project: string | undefined): string | undefined {
  return project?.split(':')[0];
}

const PARSERS: { readonly [form in IdForm]: Parser } = {
  'name': (id) => ({ name: id }),
  'namespace/name': (id) => named(parts(id, /^([^/]+)\/([^/]+)$/)),
  'namespace:name': (id) => named(parts(id, /^([^:]+):([^:]+)$/)),
  'cluster.name': (id) => {
    const found = parts(id, /^([^.]+)\.(.+)$/);
    return found && { clusterId: found[0], name: found[1] };
  },
  'cluster.namespace/name': (id) => {
    const found = parts(id, /^([^.]+)\.([^/]+)\/([^/]+)$/);
    return found && { clusterId: found[0], namespace: found[1], name: found[2] };
  },
  'cluster/name': (id) => named(parts(id, /^([^/]+)\/([^/]+)$/)),
  'namespace/vm/name': (id) => {
    const found = parts(id, /^([^/]+)\/[^/]+\/([^/]+)$/);
    return found && { namespace: found[0], name: found[1] };
  },
  'name in project': (id, attribute) => ({
    name: id,
    ...defined({ clusterId: clusterOfProject(attribute('project_id')) }),
  }),
  'secret in project': (id, attribute) => {
    const name = named(parts(id, /^([^:]+):([^:]+)$/));
    const isNamespaced = attribute('namespace_id') !== undefined;
    return (
      name && {
        ...name,
        ...(isNamespaced ? defined({ clusterId: clusterOfProject(attribute('project_id')) }) : {}),
      }
    );
  },
};

function named(found: readonly string[] | undefined): Named | undefined {
  return found && { namespace: found[0], name: found[1] };
}

/**
 * The clusters with the addresses of the resources that own their objects, and the resources whose
 * object is not among them.
 */
export interface MarkedClusters {
  readonly clusters: readonly FoundCluster[];
  readonly unmatched: readonly (TerraformResource & { readonly reason: string })[];
}

/**
 * Marks the objects that resources of a Terraform state own. Which cluster a provider is for
 * follows from what the clusters have.
 */
export function markOwned(
  clusters: readonly FoundCluster[],
  resources: readonly TerraformResource[],
): MarkedClusters {
  const index = new Map(
    clusters.map((cluster) => [
      cluster,
      new Map(cluster.objects.map((object) => [objectKey(object.manifest), object])),
    ]),
  );
  const addresses = new Map<FoundObject, string>();
  const unmatched: (TerraformResource & { readonly reason: string })[] = [];
  for (const resource of resources) {
    const { object, reason = '' } = resource;
    const fitting = object ? clusters.filter(({ kind }) => mayHold(kind, resource, object)) : [];
    const found = object
      ? fitting.flatMap((cluster) => index.get(cluster)!.get(refKey(object)) ?? [])
      : [];
    if (found.length === 1) {
      addresses.set(found[0], resource.address);
    } else if (object) {
      const label = `${object.kind} ${printName(object)}`;
      unmatched.push({
        ...resource,
        reason:
          found.length === 0
            ? `owns ${label}, which was not found`
            : `owns ${label}, which ${found.map(({ target }) => target).join(' and ')} have`,
      });
    } else {
      unmatched.push({ ...resource, reason });
    }
  }
  const marked = clusters.map((cluster) => ({
    ...cluster,
    objects: cluster.objects.map((object) => ({
      ...object,
      ...defined({ terraform: addresses.get(object) }),
    })),
  }));
  return { clusters: marked, unmatched };
}

function mayHold(
  kind: TargetKind,
  { type }: TerraformResource,
  { clusterId }: OwnedObject,
): boolean {
  if (type.startsWith('harvester_')) {
    return kind === TargetKind.HARVESTER;
  }
  return clusterId === undefined ? kind === TargetKind.RANCHER : kind !== TargetKind.RANCHER;
}

/** How resources leave a Terraform state while their objects remain. */
export interface HandOver {
  /**
   * `removed` blocks for a `.tf` file: Terraform 1.7 and later. Empty where no resource can leave
   * as a whole.
   */
  readonly removed: string;
  /** A command for each resource. */
  readonly commands: string;
  /**
   * Addresses of resources of which only some instances are adopted: a `removed` block cannot name
   * them, so that only their commands are written.
   */
  readonly partly: readonly string[];
}

/**
 * The text that hands resources over without deleting their objects, as `removed` blocks or as
 * commands: one of both is needed.
 *
 * @param resources those whose objects the program declares
 * @param state all resources of the state, since a block removes all instances of a resource
 * @see https://developer.hashicorp.com/terraform/language/block/removed
 */
export function handOver(
  resources: readonly TerraformResource[],
  state: readonly TerraformResource[] = resources,
): HandOver {
  const adopted = new Set(resources.map(({ address }) => address));
  const names = [...new Set(resources.map(({ plainAddress }) => plainAddress))];
  const instances = grouped(state, ({ plainAddress }) => plainAddress);
  const partly = names.filter((name) =>
    instances.get(name)?.some(({ address }) => !adopted.has(address)),
  );
  return {
    removed: names
      .filter((name) => !partly.includes(name))
      .map((from) => `removed {\n  from = ${from}\n\n  lifecycle {\n    destroy = false\n  }\n}\n`)
      .join('\n'),
    commands: [...adopted].map((address) => `terraform state rm ${quote(address)}\n`).join(''),
    partly,
  };
}
