import { existsSync, readdirSync } from 'fs';
import { join } from 'path';
import { withKnownPassword } from './trials/logins';
import { KindIdentity } from '../../../src/core/kind/description/identity';
import { kindOf } from '../../../src/core/kind/kinds';
import { isLate } from '../../../src/core/late/late-token';
import {
  isRecord,
  itemsAt,
  Manifest,
  objectKey,
  valueAt,
} from '../../../src/core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK, GROUPS } from '../../../src/core/manifest/names';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import {
  LABEL_CLUSTER_NETWORK,
  MGMT_CLUSTER_NETWORK,
} from '../../../src/harvester/cluster-network/cluster-network.kind';
import {
  ANNOTATION_DEFAULT_CLASS,
  HARVESTER_LONGHORN,
} from '../../../src/harvester/storage/storage.kind';
import { GLOBAL_DATA } from '../../../src/rancher/credential/secret.kind';
import { allRecordings, GENERATIONS, withValues } from '../../support/recordings';
import { Product } from '../lab/kubeconfigs';

/** Objects that need each other, in the order of an apply. */
export interface Scenario {
  readonly title: string;
  readonly objects: readonly Manifest[];
  /** What mentions objects of other scenarios of the run, which are judged at the same time. */
  readonly others: RegExp;
}

/** Part of the name of everything that a run creates, and of nothing else. */
export const PREFIX = 'judge';

/** The longest name of a ClusterNetwork. @see harvester/network-controller-harvester:pkg/webhook/clusternetwork/validator.go */
const SHORT_KINDS = ['ClusterNetwork'];

/** Kinds whose objects a server has once, by their names. */
const ONCE = ['Setting', 'Feature', 'AuthConfig', 'Addon', 'HelmChartConfig', 'UIPlugin'];

/** Namespaces that a server has. */
const SYSTEM_NAMESPACES =
  /^(default|local|kube-.*|cattle-.*|fleet-.*|harvester-(system|public)|longhorn-system)$/;

/** A management cluster ID. */
const CLUSTER_ID = /\bc-m-[a-z0-9]{8}\b/g;

/**
 * The objects of the examples and of the recordings of a product, under names of this run.
 *
 * @param run two letters that no run before had: some objects of a run go minutes after it
 * @param clusterId the management cluster ID of a Harvester that a Rancher manages
 */
export function scenariosOf(product: Product, run: string, clusterId?: string): Scenario[] {
  return [...examples(product), ...recordings(product)]
    .filter(({ objects }) => objects.length > 0)
    .map(({ title, objects }, index) => ({
      title,
      others: othersOf(run, letterOf(index)),
      objects: renamed(
        (clusterId === undefined ? objects : withClusterId(objects, clusterId)).map(
          withKnownPassword,
        ),
        run + letterOf(index),
      ),
    }));
}

/** The letter of a scenario in the names of its objects. */
function letterOf(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}

/** @param letter that of the scenario itself */
export function othersOf(run: string, letter: string): RegExp {
  return new RegExp(`(?:${PREFIX}-|${managementIds('')})${run}(?!${letter})[a-z]`);
}

/** What the management cluster IDs of a run begin with. @param run its letters */
export function managementIds(run: string): string {
  return `c-m-j${run}`;
}

/** What an installed Harvester has, and one whose network controller or charts do not run lacks. */
export const INSTALLED: { readonly [product in Product]: readonly Manifest[] } = {
  rancher: [],
  harvester: [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: HARVESTER_LONGHORN, annotations: { [ANNOTATION_DEFAULT_CLASS]: 'true' } },
      provisioner: 'driver.longhorn.io',
      parameters: { numberOfReplicas: '3', staleReplicaTimeout: '30', migratable: 'true' },
    },
    {
      apiVersion: `${GROUP_HARVESTER_NETWORK}/v1beta1`,
      kind: 'ClusterNetwork',
      metadata: { name: MGMT_CLUSTER_NETWORK },
    },
  ],
};

/** Whether a server has the object by itself, so that a run never applies it. */
export function isOnce({ kind, metadata: { name, namespace } }: Manifest): boolean {
  return (
    ONCE.includes(kind) ||
    (kind === 'Namespace' && SYSTEM_NAMESPACES.test(name)) ||
    (kind === 'RecurringJob' && namespace === 'longhorn-system' && !name.startsWith(PREFIX))
  );
}

/** The objects that differ in their structure from those before them, and from known ones. */
export function distinct(known: readonly Manifest[]): (object: Manifest) => boolean {
  const seen = new Set(known.map(structureOf));
  return (object) => {
    const structure = structureOf(object);
    return !seen.has(structure) && seen.add(structure) !== undefined;
  };
}

function structureOf(object: Manifest): string {
  const own = isOnce(object) ? object.metadata.name : '';
  const fields = [...fieldNames(object, '')].sort().join(' ');
  return `${object.apiVersion} ${object.kind} ${own} ${fields}`;
}

function* fieldNames(value: unknown, path: string): Iterable<string> {
  if (Array.isArray(value)) {
    for (const item of value) {
      yield* fieldNames(item, `${path}[]`);
    }
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield* fieldNames(item, `${path}.${key}`);
    }
  } else {
    yield path;
  }
}

function examples(product: Product): Omit<Scenario, 'others'>[] {
  const folder = join(__dirname, '..', '..', '..', 'examples');
  return readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, 'dist', 'assembly.json')))
    .map((title) => {
      const { assembly, manifests } = loadAssembly(join(folder, title, 'dist'));
      const targets = assembly.targets.filter(({ kind }) => kind === product);
      const names = targets.map(({ name }) => name);
      const objects = assembly.objects
        .filter(({ target }) => names.includes(target))
        .map(({ id }) => manifests.get(id)!)
        .filter((object) => !isLate(JSON.stringify(object)));
      return {
        title,
        objects: [...REFERRED[product](objects), ...objects],
      };
    });
}

function recordings(product: Product): Omit<Scenario, 'others'>[] {
  const newest = GENERATIONS.at(-1)!;
  return allRecordings()
    .filter((each) => each.product === product && each.generation === newest)
    .map(({ name, objects }) => ({
      title: `recording ${name}`,
      objects: objects.map(({ applied }) => withValues(applied as Manifest)),
    }));
}

/** Credentials of snapshots that Clusters refer to: Rancher's webhook looks for them. */
function referredCredentials(objects: readonly Manifest[]): Manifest[] {
  const known = new Set(objects.map(objectKey));
  return objects.flatMap((object) => {
    const text = valueAt(object, 'spec', 'rkeConfig', 'etcd', 's3', 'cloudCredentialName');
    if (typeof text !== 'string') {
      return [];
    }
    const credential = credentialNamed(text.split(':').at(-1)!);
    const key = objectKey(credential);
    return !known.has(key) && known.add(key) !== undefined ? [credential] : [];
  });
}

function credentialNamed(name: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: GLOBAL_DATA },
    ...{ type: 'Opaque', data: {} },
  };
}

/** What the objects of a program refer to, and a server must have. */
const REFERRED: {
  readonly [product in Product]: (objects: readonly Manifest[]) => readonly Manifest[];
} = { harvester: referred, rancher: referredCredentials };

/** A reference of a machine to an image, in its annotation, and to a network. */
const IMAGE_ID = /imageId\\*":\\*"([a-z0-9-]+)\/([a-z0-9.-]+)\\*"/g;

/** Images and networks that machines refer to, and that another program or a user created. */
function referred(objects: readonly Manifest[]): Manifest[] {
  const known = new Set(objects.map(objectKey));
  const images = [...JSON.stringify(objects).matchAll(IMAGE_ID)].map(([, namespace, name]) =>
    imageNamed(namespace, name),
  );
  const networks = objects
    .filter(({ kind }) => kind === 'VirtualMachine')
    .flatMap((machine) =>
      itemsAt(machine, 'spec', 'template', 'spec', 'networks').flatMap((network) => {
        const text = valueAt(network, 'multus', 'networkName');
        if (typeof text !== 'string') {
          return [];
        }
        const [name, namespace = machine.metadata.namespace ?? 'default'] = text
          .split('/')
          .reverse();
        return [networkNamed(namespace, name)];
      }),
    );
  return [...images, ...networks].filter((object) => {
    const key = objectKey(object);
    return !known.has(key) && known.add(key) !== undefined;
  });
}

function imageNamed(namespace: string, name: string): Manifest {
  return {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name, namespace },
    spec: { displayName: name, sourceType: 'upload' },
  };
}

function networkNamed(namespace: string, name: string): Manifest {
  const config = {
    cniVersion: '0.3.1',
    name,
    type: 'bridge',
    bridge: 'mgmt-br',
    promiscMode: true,
  };
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name, namespace, labels: { [LABEL_CLUSTER_NETWORK]: MGMT_CLUSTER_NETWORK } },
    spec: { config: JSON.stringify({ ...config, ipam: {} }) },
  };
}

/** The objects of the cluster that they are applied to: its namespaces are in its own projects. */
function withClusterId(objects: readonly Manifest[], clusterId: string): Manifest[] {
  return JSON.parse(JSON.stringify(objects).replace(CLUSTER_ID, clusterId)) as Manifest[];
}

/** The objects under names that no other object of a server has. */
function renamed(objects: readonly Manifest[], place: string): Manifest[] {
  const short = new Set(
    objects.filter(({ kind }) => SHORT_KINDS.includes(kind)).map(({ metadata }) => metadata.name),
  );
  const names = [...new Set(objects.filter(isRenamed).map(({ metadata }) => metadata.name))];
  const namespaces = objects.flatMap(({ metadata: { namespace } }) =>
    namespace === undefined || SYSTEM_NAMESPACES.test(namespace) || namespace.startsWith('c-m-')
      ? []
      : [namespace],
  );
  const all = [...new Set([...names, ...namespaces])].filter((name) => name !== 'mgmt');
  let text = JSON.stringify(objects);
  // a Harvester knows its own ID, which nothing that is created here changes
  if (objects.some(({ apiVersion }) => apiVersion.startsWith(GROUPS.PROVISIONING))) {
    text = text.replace(CLUSTER_ID, (id) => managementIds(place) + id.slice(-4));
  }
  all.forEach((name, index) => {
    const other = short.has(name) ? `${PREFIX}-${place}${index}` : `${PREFIX}-${place}-${name}`;
    const escaped = name.replace(/[.]/g, '\\.');
    text = text.replace(
      new RegExp(`(?<=["/, .:])${escaped}(?=["\\\\/, ]|-br\\b|\\.ovn\\b)`, 'g'),
      other,
    );
  });
  const read = (JSON.parse(text) as Manifest[]).map((object) => withUsername(object, place));
  const needed = [...new Set(read.flatMap(({ metadata }) => metadata.namespace ?? []))];
  const declared = new Set(read.filter(({ kind }) => kind === 'Namespace').map(objectKey));
  const missing = needed
    .filter((name) => name.startsWith(PREFIX))
    .map((name): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
    .filter((each) => !declared.has(objectKey(each)));
  return [...missing, ...read];
}

/** A user under a name for logins that no other user has. */
function withUsername(object: Manifest, place: string): Manifest {
  return object.kind === 'User' && typeof object.username === 'string'
    ? { ...object, username: `${PREFIX}-${place}-${object.username}` }
    : object;
}

function isRenamed(object: Manifest): boolean {
  const { namespace, name } = object.metadata;
  if (isOnce(object) || /^c-m-/.test(name)) {
    return false;
  }
  const isNamespaced = kindOf<KindIdentity>(object)?.scope === 'Namespaced';
  return !isNamespaced || (namespace !== undefined && SYSTEM_NAMESPACES.test(namespace));
}
