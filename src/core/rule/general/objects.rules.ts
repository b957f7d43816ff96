import { TargetKind } from '../../construct/target';
import { kindOf } from '../../kind/kinds';
import { isLate } from '../../late/late-token';
import { groupOf, isRecord, Manifest, objectLabel } from '../../manifest/manifest';
import {
  ANNOTATION_PLACEHOLDER,
  API_VERSIONS,
  FLEET_LOCAL,
  GROUPS,
  LOCAL_CLUSTER,
} from '../../manifest/names';
import { DNS_SUBDOMAIN, LABEL_VALUE } from '../../problem/label';
import { NO_PROBLEMS, Problem, joinedProblems, problemsOfKeys } from '../../problem/problem';
import { plainText, some } from '../../text/plain-text';
import { byObject, byText } from '../../text/values';
import { ruleOf, rules } from '../kit/fact';
import { JudgedObject, Rule, World } from '../rule';

/** Of all values of a ConfigMap or a Secret together, in bytes. */
const MAX_DATA = 1024 * 1024;

export const SIZE = ruleOf({
  id: 'object/size',
  level: 'warning',
  kinds: ['/ConfigMap', '/Secret'],
  what: 'the values of a ConfigMap or a Secret have at most 1 MiB in total',
  source:
    'kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateConfigMap, ValidateSecret',
  judge: ({ manifest }) => {
    const isSecret = manifest.kind === 'Secret';
    const given = isSecret
      ? [manifest.stringData, manifest.data]
      : [manifest.data, manifest.binaryData];
    if (given.every((map) => isSmall(map, MAX_DATA))) {
      return undefined;
    }
    const [texts, encoded] = given.map(valuesOf);
    // the text of a Secret takes the place of what is encoded under the same key
    const others = [...encoded].filter(([key]) => !texts.has(key));
    const sizes = [
      ...[...texts.values()].map((value) => Buffer.byteLength(value)),
      ...others.map(([, value]) => Buffer.byteLength(value, 'base64')),
    ];
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    return (
      size > MAX_DATA && {
        path: 'data',
        message: `its values have ${size} bytes together, ${MAX_DATA} are allowed`,
        fix: 'split it, or keep large content elsewhere, e.g. in an image',
        says: `Too long: may not be more than ${MAX_DATA} bytes`,
      }
    );
  },
});

/** Whether a map of text is far from too long, at four bytes a character. */
function isSmall(map: unknown, most: number): boolean {
  if (!isRecord(map)) {
    return true;
  }
  let length = 0;
  for (const key in map) {
    const value = map[key];
    if (typeof value !== 'string') {
      return false;
    }
    length += key.length + value.length;
  }
  return length < most / 16;
}

// the content of a late value is unknown
function valuesOf(map: unknown): ReadonlyMap<string, string> {
  const entries = isRecord(map) ? Object.entries(map) : [];
  return new Map(
    entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !isLate(entry[1]),
    ),
  );
}

export const PLACEHOLDER_RULES = rules({ kinds: ['*'] }, [
  {
    id: 'object/placeholder',
    what: 'an object holds its secrets, not the placeholders of a build without secrets',
    source: 'SecretValue of this library',
    judge: ({ manifest }) => {
      const { annotations } = manifest.metadata;
      return (
        annotations?.[ANNOTATION_PLACEHOLDER] !== undefined && {
          path: `metadata.annotations[${ANNOTATION_PLACEHOLDER}]`,
          message: `holds placeholders instead of the secret from ${annotations[ANNOTATION_PLACEHOLDER]}`,
          fix: 'synthesize where the secrets are set, without CDK8S_HARVESTER_SECRETS',
        }
      );
    },
  },
]);

const API_CONVENTIONS = 'https://kubernetes.io/docs/concepts/overview/working-with-objects/names/';

const QUALIFIED_NAME =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const MAX_ANNOTATIONS = 256 * 1024;

// a Harvester embeds a Rancher without multi-cluster management: it has the definitions, and its
// own cluster is fleet-local/local
function isForRancherServer(
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
): boolean {
  const group = groupOf(apiVersion);
  return (
    (group === GROUPS.PROVISIONING && kind === 'Cluster' && namespace !== FLEET_LOCAL) ||
    (group === GROUPS.MANAGEMENT &&
      kind === 'ClusterRegistrationToken' &&
      namespace !== LOCAL_CLUSTER)
  );
}

/** Whether a name is one of an object of a kind. */
function isNameOf({ apiVersion, kind }: Manifest, name: string): boolean {
  if (groupOf(apiVersion) === GROUPS.RBAC) {
    return !/[/%]/.test(name) && name !== '.' && name !== '..';
  }
  return apiVersion === API_VERSIONS.CORE && kind === 'Namespace'
    ? isLabel(name)
    : name.length <= 253 && DNS_SUBDOMAIN.test(name);
}

function isLabel(name: string): boolean {
  return name.length <= 63 && !name.includes('.') && DNS_SUBDOMAIN.test(name);
}

function judgeMap(field: 'labels' | 'annotations', entries: unknown): readonly Problem[] {
  return isRecord(entries)
    ? problemsOfKeys(entries, (key) => judgeEntry(field, key, entries[key]))
    : NO_PROBLEMS;
}

function judgeEntry(
  field: 'labels' | 'annotations',
  key: string,
  value: unknown,
): readonly Problem[] {
  // null is an empty text to the server
  if (value === null) {
    return NO_PROBLEMS;
  }
  // the server looks at annotation keys in lower case only
  const isKey =
    isQualified(key) || isLate(key) || (field === 'annotations' && isQualified(key.toLowerCase()));
  const isValue =
    typeof value === 'string' &&
    (field === 'annotations' || (value.length <= 63 && LABEL_VALUE.test(value)) || isLate(value));
  if (isKey && isValue) {
    return NO_PROBLEMS;
  }
  const path = `metadata.${field}[${key}]`;
  return joinedProblems(
    !isKey && {
      path,
      message: 'the key is not a qualified name',
      fix: 'use an optional DNS prefix and a slash, then at most 63 of letters, digits, - _ .',
    },
    !isValue &&
      (typeof value === 'string'
        ? {
            path,
            value,
            message: 'is not a valid label value',
            fix: 'use at most 63 of letters, digits, - _ . and start and end with a letter or digit',
          }
        : {
            path,
            message: `the value must be text, it is ${Array.isArray(value) ? 'a list' : `of type ${typeof value}`}`,
            fix: 'write it in quotes',
            says: `json: cannot unmarshal ${typeof value} into Go struct field ObjectMeta.metadata.${field} of type string`,
          }),
  );
}

function sizeOf(annotations: object): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(`${key}${plainText(value)}`),
    0,
  );
}

// the same few keys are on all objects
const isQualified = byText((key) => {
  const parts = key.split('/');
  return (
    parts.length <= 2 &&
    QUALIFIED_NAME.test(key) &&
    parts[parts.length - 1].length <= 63 &&
    (parts.length === 1 || parts[0].length <= 253)
  );
});

const NAME_FIX = 'use a-z, 0-9, hyphens and, where allowed, dots';
const NAMESPACE = 'metadata.namespace';

function placeOf({ construct, file, document }: JudgedObject): string {
  return construct ?? (file ? `${file} (document ${document})` : 'elsewhere');
}

/**
 * Whether two objects of one identity are one object on a server. In a repository, they may be what
 * someone delivers one of, or get their namespaces from what delivers them.
 */
function isSameOnServer(one: JudgedObject, other: JudgedObject): boolean {
  const [a, b] = [one.deliveredWith, other.deliveredWith];
  const isPart = a?.bundles?.every((bundle) => !b?.bundles?.includes(bundle)) === true;
  if (isPart && b?.bundles !== undefined) {
    return false;
  }
  const { manifest } = one;
  const isPlaced =
    manifest.metadata.namespace !== undefined || kindOf(manifest)?.scope === 'Cluster';
  return isPlaced || a?.folder === b?.folder;
}

/** The objects that are one object on a server, an object itself included, where there are several. */
function repeatsOf(object: JudgedObject, world: World): readonly JudgedObject[] {
  return world.same(object).filter((other) => isSameOnServer(other, object));
}

/** The main object of a construct has the name of the construct, and its parts follow from it. */
const MAIN = '/Resource';

/** The objects that are declared several times, by their constructs. */
const repeatedByConstruct = byObject(
  (world: World) =>
    new Map(
      world.judged
        .filter((object) => object.construct !== undefined && world.same(object).length > 1)
        .map((object) => [`${object.target.name} ${object.construct!}`, object]),
    ),
);

/** The object whose repetition repeats a part of its construct: the highest one. */
function headOf(object: JudgedObject, world: World): JudgedObject {
  const names = object.construct?.split('/') ?? [];
  const mains = names.map((_, at) => `${names.slice(0, at).join('/')}${MAIN}`);
  const repeated = repeatedByConstruct(world);
  return mains.flatMap((main) => repeated.get(`${object.target.name} ${main}`) ?? [])[0] ?? object;
}

/** What the repetitions of an object, and of all that belongs to it, follow from. */
function causeOf(head: JudgedObject, world: World): string {
  const places = repeatsOf(head, world).map(placeOf);
  const times = places.length === 2 ? 'twice' : `${places.length} times`;
  return `${objectLabel(head.manifest)} is declared ${times} on ${head.target.name}: at ${some(places)}`;
}

/** Rules for objects of every kind: what any API server asks. */
export const OBJECT_RULES: readonly Rule[] = [
  ...rules({ kinds: ['*'] }, [
    {
      id: 'object/duplicate',
      what: 'an object is declared once on its target; of two, the one that is applied last wins and the other is lost',
      source: API_CONVENTIONS,
      // the server makes up the names of objects with generateName
      when: (object, world) =>
        object.manifest.metadata.name !== '' && world.same(object).length > 1,
      judge: (object, world) => {
        const [first, second] = repeatsOf(object, world);
        if (!second || first === object) {
          return undefined;
        }
        return {
          path: '',
          message: `${objectLabel(object.manifest)} is declared twice on ${object.target.name}: at ${placeOf(first!)} and at ${placeOf(object)}`,
          fix: 'keep one of them, or give one another name',
          // in a folder of YAML the second may be a patch that is never applied by itself
          level: object.construct === undefined ? 'warning' : 'error',
          cause: causeOf(headOf(object, world), world),
        };
      },
    },
    {
      id: 'object/wrong-target',
      what: 'an object is for a cluster that serves its kind; Harvester silently accepts some kinds of Rancher and ignores them',
      source:
        'rancher/rancher:pkg/crds/names.go BasicCRDs, MCMCRDs; harvester/harvester:deploy/charts/harvester-crd',
      concerns: (kind) => kind?.targets !== undefined,
      judge: ({ manifest, target }) => {
        const { kind, apiVersion } = manifest;
        const { namespace } = manifest.metadata;
        const { targets, group, servedBy } = target.kind ? kindOf(manifest)! : {};
        if (targets?.includes(target.kind as TargetKind) === false) {
          return {
            path: 'kind',
            value: kind,
            fix: `put it below a chart of ${targets.join(' or ')}`,
            says: `no matches for kind "${kind}" in version "${apiVersion}"`,
            ...(servedBy === undefined ? {} : { level: 'warning' }),
            message: `${kind} of ${group} does not exist on a ${target.kind} cluster${servedBy === undefined ? '' : ` without ${servedBy} of its own`}`,
          };
        }
        return (
          target.kind === 'harvester' &&
          isForRancherServer(apiVersion, kind, namespace) && {
            path: 'kind',
            value: kind,
            fix: 'put it below a RancherChart: the cluster that manages this Harvester',
            message: `a Harvester accepts ${kind} of ${group}, for the Rancher that it embeds, and does nothing with it`,
          }
        );
      },
    },
    {
      id: 'object/name',
      what: 'names are RFC 1123 subdomains of at most 253 characters, and names of namespaces are labels of at most 63',
      says: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      source: API_CONVENTIONS,
      judge: ({ manifest }) => {
        const { name, namespace } = manifest.metadata;
        const fitsNamespace = namespace === undefined || isLabel(namespace);
        // fits every kind
        if ((isLabel(name) && fitsNamespace) || !kindOf(manifest)) {
          return undefined;
        }
        return joinedProblems(
          name !== '' &&
            !isLate(name) &&
            !isNameOf(manifest, name) && {
              path: 'metadata.name',
              value: name,
              message: `is not a valid name for a ${manifest.kind}`,
              fix: NAME_FIX,
            },
          !fitsNamespace &&
            !isLate(namespace) && {
              path: NAMESPACE,
              value: namespace,
              message: 'is not a valid name for a namespace',
              fix: NAME_FIX,
            },
        );
      },
    },
    {
      id: 'object/scope',
      level: 'warning',
      what: 'cluster-scoped objects have no namespace, namespaced ones of Rancher and Harvester name theirs',
      source: 'the scope of the custom resource definitions',
      concerns: (kind) =>
        kind !== undefined && (kind.scope === 'Cluster' || kind.targets !== undefined),
      judge: ({ manifest }) => {
        const { scope, targets } = kindOf(manifest) ?? {};
        const { namespace } = manifest.metadata;
        if (scope === 'Cluster') {
          return (
            namespace && {
              path: NAMESPACE,
              value: namespace,
              message: `${manifest.kind} is cluster-scoped: the namespace is ignored`,
              fix: 'leave it out',
            }
          );
        }
        return (
          targets &&
          !namespace && {
            path: NAMESPACE,
            message: `${manifest.kind} has no namespace, so it is applied to the current namespace of the client`,
            fix: 'set metadata.namespace',
          }
        );
      },
    },
    {
      id: 'object/metadata',
      what: 'metadata are maps of text; labels and annotations have qualified names, label values at most 63 characters, and annotations at most 256 KiB in total',
      source:
        'https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set',
      judge: ({ manifest, malformed }) => {
        const { labels, annotations } = manifest.metadata;
        if (
          (!malformed && labels === undefined && annotations === undefined) ||
          !kindOf(manifest)
        ) {
          return undefined;
        }
        const size =
          annotations && !isSmall(annotations, MAX_ANNOTATIONS) ? sizeOf(annotations) : 0;
        return joinedProblems(
          malformed,
          judgeMap('labels', labels),
          judgeMap('annotations', annotations),
          size > MAX_ANNOTATIONS && {
            path: 'metadata.annotations',
            message: `hold ${size} bytes together, ${MAX_ANNOTATIONS} are allowed`,
            fix: 'put large text elsewhere',
            says: `metadata.annotations: Too long: may not be more than ${MAX_ANNOTATIONS} bytes`,
          },
        );
      },
    },
  ]),
  SIZE,
];
