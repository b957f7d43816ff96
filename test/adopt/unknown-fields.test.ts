import { CONSTRUCTIONS, baseOf } from './_inverses';
import { foundIn } from './_round-trip';
import { adopt } from '../../src/adopt/adopt';
import { FoundCluster, FoundObject, idOfName, nameOf } from '../../src/core/draft/draft';
import { at, FieldPath, isRecord, Manifest, pathText } from '../../src/core/manifest/manifest';
import { collect } from '../../src/core/synthesis/collect';
import { someOf } from '../support/cases';

/** Constructs of each product, with one object and with several, with lists and with texts. */
const CLASSES = [
  'VirtualMachine',
  'VirtualMachineTemplate',
  'VmImage',
  'Volume',
  'KeyPair',
  'VmNetwork',
  'VlanConfig',
  'ClusterNetwork',
  'IpPool',
  'VmLoadBalancer',
  'HarvesterStorageClass',
  'ScheduleVmBackup',
  'Addon',
  'NodeCloudInit',
  'HarvesterNamespace',
  'TenantProject',
  'RoleTemplate',
  'GlobalRole',
  'LocalUser',
  'ClusterRepo',
  'GuestCluster',
  'CustomCluster',
  'HelmChartAddon',
  'HarvesterLoadBalancer',
  'GuestStorageClass',
];

/** Numbers from 0 to 1, the same at each run. @see https://en.wikipedia.org/wiki/Linear_congruential_generator */
function* randomNumbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

/** The maps of an object that may have any other fields: not metadata, nor maps of texts alone. */
function mapsIn(value: unknown, path: FieldPath = []): FieldPath[] {
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => mapsIn(each, [...path, index]));
  }
  if (!isRecord(value) || path[0] === 'metadata' || path[0] === 'status') {
    return [];
  }
  const below = Object.entries(value).flatMap(([key, each]) => mapsIn(each, [...path, key]));
  const isOfTexts = Object.values(value).every((each) => typeof each === 'string');
  return path.length > 0 && isOfTexts ? below : [path, ...below];
}

const VALUES: readonly unknown[] = [
  'text',
  7,
  true,
  ['a', 'b'],
  { inner: 'text' },
  [{ name: 'x' }],
];

/** Metadata of users. */
const METADATA: readonly { readonly [field: string]: object }[] = [
  { labels: { 'example.com/unknown': 'text' } },
  { annotations: { 'example.com/unknown': 'text' } },
  { finalizers: ['example.com/hold'] },
  { finalizers: ['example.com/hold'], labels: { 'example.com/unknown': 'text' } },
];

/** Adds fields that no prop knows. Returns their paths. */
function addUnknown(manifest: Manifest, random: Generator<number, never>): FieldPath[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next().value * list.length)];
  const ofMetadata = pick(METADATA);
  const { metadata } = manifest as { metadata: Record<string, unknown> };
  for (const [field, value] of Object.entries(ofMetadata)) {
    metadata[field] = Array.isArray(value) ? value : { ...(metadata[field] as object), ...value };
  }
  const inMetadata = Object.entries(ofMetadata).map(([field, value]): FieldPath => [
    ...['metadata', field],
    ...(Array.isArray(value) ? [] : ['example.com/unknown']),
  ]);
  const inFields = [1, 2, 3].map((count) => {
    const path = pick(mapsIn(manifest));
    const field = `unknown${count}`;
    (at(manifest, path) as Record<string, unknown>)[field] = structuredClone(pick(VALUES));
    return [...path, field];
  });
  return [...inMetadata, ...inFields];
}

/** Adopts objects with fields that no prop knows. Returns the fields that the program renders otherwise. */
function lostOf(name: string): { readonly lost: readonly string[]; readonly added: number } {
  const random = randomNumbers([...name].reduce((sum, each) => sum + each.charCodeAt(0), 0));
  const clusters = structuredCopy(foundIn(baseOf(CONSTRUCTIONS.get(name)!)!));
  const added = clusters.flatMap(({ objects }) =>
    objects.map((object) => ({ object, paths: addUnknown(object.manifest, random) })),
  );
  const { evaluated, leftOut } = adopt(clusters);
  const rendered = new Map(
    collect(evaluated.app).objects.map(({ id, manifest }) => [id, manifest]),
  );
  const lost = added.flatMap(({ object, paths }) => {
    const id = idOfName(nameOf(object));
    return leftOut.has(id)
      ? []
      : paths
          .filter(
            (path) =>
              JSON.stringify(at(rendered.get(id), path)) !==
              JSON.stringify(at(object.manifest, path)),
          )
          .map((path) => `${id}: ${pathText(path)}`);
  });
  return {
    lost,
    added: added.filter(({ object }) => !leftOut.has(idOfName(nameOf(object)))).length,
  };
}

function structuredCopy(clusters: readonly FoundCluster[]): readonly FoundCluster[] {
  return clusters.map((cluster) => ({
    ...cluster,
    objects: cluster.objects.map((object): FoundObject => ({
      ...object,
      manifest: structuredClone(object.manifest),
    })),
  }));
}

const NAMES = [...CONSTRUCTIONS.keys()].filter(
  (name) =>
    CLASSES.includes(name.split('.')[0]) &&
    !name.includes('.from') &&
    baseOf(CONSTRUCTIONS.get(name)!),
);

test.each(someOf(NAMES, 6))('%s: keeps fields that no prop knows', (name) => {
  const { lost, added } = lostOf(name);
  expect(lost).toEqual([]);
  expect(added).toBeGreaterThan(0);
});
