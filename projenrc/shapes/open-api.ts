import * as fs from 'node:fs';
import * as path from 'node:path';
import { ALWAYS, Schema } from './shape-of-schema';
import { Definition } from './sources';

/** A document of `/openapi/v3` of an API server: the types of one version of an API group. */
interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation | undefined } };
  readonly components?: { readonly schemas?: { readonly [name: string]: Schema } };
}

interface Operation {
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kinds of Kubernetes that platforms use, by the version of their API group. */
const KINDS: { readonly [apiVersion: string]: readonly string[] } = {
  'v1': [
    'ConfigMap',
    'Endpoints',
    'LimitRange',
    'Namespace',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'ReplicationController',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  'admissionregistration.k8s.io/v1': [
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  'apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apiregistration.k8s.io/v1': ['APIService'],
  'apps/v1': ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'batch/v1': ['CronJob', 'Job'],
  'coordination.k8s.io/v1': ['Lease'],
  'discovery.k8s.io/v1': ['EndpointSlice'],
  'networking.k8s.io/v1': ['Ingress', 'IngressClass', 'NetworkPolicy'],
  'node.k8s.io/v1': ['RuntimeClass'],
  'policy/v1': ['PodDisruptionBudget'],
  'rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'scheduling.k8s.io/v1': ['PriorityClass'],
  'storage.k8s.io/v1': ['CSIDriver', 'StorageClass', 'VolumeAttachment'],
};

/** Types that are kept as any value: they contain themselves, or whatever their author wants. */
const OPEN: { readonly [type: string]: Schema | undefined } = {
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps': { type: 'object' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'object' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object' },
};

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

/**
 * Values that later versions add to the lists that an API server prints. Published documents have no lists.
 * @see https://github.com/kubernetes/api: constants of TolerationOperator (v0.36.2) and StatefulSetUpdateStrategyType (v0.37.2)
 */
const LATER_VALUES: ReadonlyArray<{
  readonly type: string;
  readonly field: string;
  readonly since: number;
  readonly values: readonly string[];
}> = [
  { type: 'io.k8s.api.core.v1.Toleration', field: 'operator', since: 35, values: ['Gt', 'Lt'] },
  {
    type: 'io.k8s.api.apps.v1.StatefulSetUpdateStrategy',
    field: 'type',
    since: 37,
    values: ['Recreate'],
  },
];

/** Fields that documents require, and servers do not: they have a default, or nothing is a value. Seen on an API server of 1.34.4. */
const NOT_NEEDED: readonly string[] = [
  'io.k8s.api.core.v1.LimitRangeSpec limits',
  'io.k8s.api.core.v1.TypedLocalObjectReference kind',
  'io.k8s.api.core.v1.TypedLocalObjectReference name',
  'io.k8s.api.discovery.v1.EndpointSlice endpoints',
  'io.k8s.api.rbac.v1.RoleRef apiGroup',
  'io.k8s.api.scheduling.v1.PriorityClass value',
  'io.k8s.api.storage.v1.CSIDriver spec',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion served',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion storage',
];

/** The types of one minor version of Kubernetes. */
interface Release {
  /** The minor version, such as 34. */
  readonly minor: number;
  readonly documents: readonly Document[];
}

/** A version of Kubernetes with its kinds, in the form of custom resource definitions. */
export interface KubernetesVersion {
  /** The first version that the definitions hold for. */
  readonly from: string;
  readonly definitions: readonly Definition[];
}

/**
 * Reads a folder with a folder for each minor version, such as `1.34`, which has the documents below `/openapi/v3` of an API server of that version, or
 * those of kubernetes/kubernetes:api/openapi-spec/v3. One version at least must be of a server: only servers print the values of a field.
 */
export function readOpenApi(folder: string): KubernetesVersion[] {
  const releases = fs
    .readdirSync(folder)
    .filter((name) => /^1\.\d+$/.test(name))
    .map((name) => ({ minor: Number(name.slice(2)), documents: readDocuments(folder, name) }))
    .sort((a, b) => a.minor - b.minor);
  const values = listedValues(releases);
  return releases.map(({ minor, documents }, index) => ({
    from: index === 0 ? '0.0.0' : `1.${minor}.0`,
    definitions: documents.flatMap((document) => definitionsIn(document, minor, values)),
  }));
}

function readDocuments(folder: string, name: string): Document[] {
  const files = fs.readdirSync(path.join(folder, name)).filter((file) => file.endsWith('.json'));
  return files
    .sort()
    .map((file) => JSON.parse(fs.readFileSync(path.join(folder, name, file), 'utf8')) as Document);
}

type Values = ReadonlyMap<string, readonly string[]>;

/** The values of fields that any document lists, by type and field. */
function listedValues(releases: readonly Release[]): Values {
  const values = new Map<string, readonly string[]>();
  for (const { components } of releases.flatMap(({ documents }) => documents)) {
    for (const [type, { properties }] of Object.entries(components?.schemas ?? {})) {
      for (const [field, schema] of Object.entries((properties ?? {}) as Schema)) {
        const listed = schema.enum ?? schema.items?.enum;
        if (listed) {
          values.set(`${type} ${field}`, listed);
        }
      }
    }
  }
  return values;
}

function definitionsIn(
  { paths, components }: Document,
  minor: number,
  values: Values,
): Definition[] {
  const schemas = components?.schemas ?? {};
  const expander = new Expander(schemas, minor, values);
  return Object.entries(schemas).flatMap(([type, schema]): Definition[] => {
    const [gvk, ...others] = (schema['x-kubernetes-group-version-kind'] ??
      []) as GroupVersionKind[];
    if (gvk === undefined || others.length > 0 || !isWanted(gvk)) {
      return [];
    }
    const place = placeOf(paths, gvk);
    // a document has the types of other groups that its own contain
    if (place === undefined) {
      return [];
    }
    return [
      {
        metadata: { name: `${place.plural}.${gvk.group}` },
        spec: {
          group: gvk.group,
          scope: place.namespaced ? 'Namespaced' : 'Cluster',
          names: { kind: gvk.kind, plural: place.plural },
          versions: [
            {
              name: gvk.version,
              storage: true,
              ...(place.status && { subresources: { status: {} } }),
              schema: { openAPIV3Schema: expander.type(type) },
            },
          ],
        },
      },
    ];
  });
}

function isWanted({ group, version, kind }: GroupVersionKind): boolean {
  return KINDS[group === '' ? version : `${group}/${version}`]?.includes(kind) ?? false;
}

/** Where a server serves the objects of a kind. */
function placeOf(paths: Document['paths'], { group, version, kind }: GroupVersionKind) {
  const root = group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`;
  const [found] = Object.entries(paths).filter(
    ([at, { post }]) =>
      at.startsWith(root) &&
      !at.endsWith('}') &&
      post?.['x-kubernetes-group-version-kind']?.kind === kind &&
      !at.includes('{name}'),
  );
  if (found === undefined) {
    return undefined;
  }
  const [at] = found;
  return {
    plural: at.slice(at.lastIndexOf('/') + 1),
    namespaced: at.includes('{namespace}'),
    status: `${at}/{name}/status` in paths,
  };
}

/** Writes out the types that a type refers to, in the words of custom resource definitions. */
class Expander {
  private readonly known = new Map<string, Schema>();

  constructor(
    private readonly schemas: { readonly [name: string]: Schema },
    private readonly minor: number,
    private readonly values: Values,
  ) {}

  public type(name: string): Schema {
    const open = OPEN[name];
    if (open !== undefined) {
      return { ...open, 'x-kubernetes-preserve-unknown-fields': true };
    }
    if (name === QUANTITY) {
      return { type: 'string', format: 'quantity' };
    }
    let schema = this.known.get(name);
    if (schema === undefined) {
      schema = this.written(this.schemas[name]!, name);
      this.known.set(name, schema);
    }
    return schema;
  }

  private written(schema: Schema, owner: string): Schema {
    const [reference] = schema.allOf ?? [schema];
    if (reference.$ref !== undefined) {
      const type = this.type(reference.$ref.replace('#/components/schemas/', ''));
      // a type without a pointer: the server reads it as empty where it is not set
      const isAlways = JSON.stringify(schema.default) === '{}' && type.properties !== undefined;
      return { ...type, ...defaultOf(schema), ...(isAlways && { [ALWAYS]: true }) };
    }
    if (schema.format === 'int-or-string') {
      return { 'x-kubernetes-int-or-string': true };
    }
    const { type, format } = schema;
    const required = schema.required?.filter(
      (field: string) => !NOT_NEEDED.includes(`${owner} ${field}`),
    );
    if (type === undefined) {
      return { 'x-kubernetes-preserve-unknown-fields': true };
    }
    const fields = Object.entries((schema.properties ?? {}) as Schema);
    const properties = fields.map(([field, of]) => [field, this.field(owner, field, of)] as const);
    return {
      type,
      ...(format !== undefined && type !== 'number' && { format }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required?.length > 0 && { required }),
      ...(schema.items && { items: this.written(schema.items, owner) }),
      ...(schema.additionalProperties && {
        additionalProperties: this.written(schema.additionalProperties, owner),
      }),
      ...(type === 'object' &&
        properties.length === 0 &&
        !schema.additionalProperties && { 'x-kubernetes-preserve-unknown-fields': true }),
      ...keysOf(schema),
      ...defaultOf(schema),
    };
  }

  private field(owner: string, field: string, schema: Schema): Schema {
    const written = this.written(schema, owner);
    const listed = this.values.get(`${owner} ${field}`);
    if (listed === undefined) {
      return written;
    }
    const later = LATER_VALUES.filter(
      (row) => row.type === owner && row.field === field && row.since <= this.minor,
    );
    const values = [...listed, ...later.flatMap((row) => row.values)].sort();
    return written.type === 'array'
      ? { ...written, items: { ...written.items, enum: values } }
      : { ...written, enum: values };
  }
}

/** The keys of the items of a list; a set, and an atomic value, differ only in who owns what. */
function keysOf(schema: Schema): Schema {
  return schema['x-kubernetes-list-type'] === 'map'
    ? {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': schema['x-kubernetes-list-map-keys'],
      }
    : {};
}

/** The value that the server fills in: the documents list those of Go, too, which every field has. */
function defaultOf({ default: value }: Schema): Schema {
  const isZero = ['""', '0', 'false', '{}', undefined].includes(JSON.stringify(value));
  return isZero ? {} : { default: value };
}
