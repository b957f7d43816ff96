import { readFileSync } from 'fs';
import { join } from 'path';
import { EXAMPLE_NAMES, exampleClusters } from './_examples';
import { diagnosticsOf, fieldsChanged, writeProgram } from './_programs';
import { AdoptResult, adoptPlatform } from '../../src/adopt/project/run-adopt';
import { FoundCluster, idOfName, nameOf } from '../../src/core/draft/draft';
import { collect } from '../../src/core/synthesis/collect';
import { testOfAll } from '../support/cases';
import { runModule } from '../support/run-program';

interface AdoptedExample {
  readonly name: string;
  readonly clusters: readonly FoundCluster[];
  readonly result: AdoptResult;
  readonly folder: string;
}

function adoptExample(name: string): AdoptedExample {
  const clusters = exampleClusters(name);
  const result = adoptPlatform({ clusters });
  return { name, clusters, result, folder: writeProgram(result.files) };
}

const examples = EXAMPLE_NAMES.map(adoptExample);

/**
 * Fields of the found objects that the program would change, objects that it lacks, and objects
 * that it would create.
 */
function changesOf({ folder, clusters, result }: AdoptedExample): string[] {
  const rendered = new Map(
    collect(runModule(join(folder, 'platform.ts')).app).objects.map((object) => [
      object.id,
      object,
    ]),
  );
  const found = new Set(
    clusters.flatMap(({ objects }) => objects).map((object) => idOfName(nameOf(object))),
  );
  const leftOut = new Set(
    result.leftOut.flatMap(({ target, objects }) => objects.map((object) => `${target} ${object}`)),
  );
  return [
    ...[...rendered.keys()].filter((id) => !found.has(id)).map((id) => `${id}: would be created`),
    ...clusters.flatMap(({ name, objects }) =>
      objects.flatMap((object) => {
        const id = idOfName(nameOf(object));
        const made = rendered.get(id);
        if (made) {
          return fieldsChanged(made.manifest, object.manifest).map((field) => `${id}: ${field}`);
        }
        const {
          kind,
          metadata: { namespace, name: own },
        } = object.manifest;
        return leftOut.has(
          `${name} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${own}`,
        )
          ? []
          : [`${id}: is missing`];
      }),
    ),
  ];
}

testOfAll('programs of adopted examples compile as strictly as new projects do', () => {
  expect(
    diagnosticsOf(
      examples.flatMap(({ folder, result }) =>
        [...result.files.keys()].map((file) => join(folder, file)),
      ),
    ),
  ).toEqual([]);
});

describe.each(examples)('$name', (example) => {
  test('is adopted without a difference and an error', () => {
    const { differences: differing, errors } = example.result;
    expect({ differing, errors }).toEqual({ differing: [], errors: [] });
  });

  test('renders what was found', () => {
    expect(changesOf(example)).toEqual([]);
  });
});

test('no construct needs a JSON patch', () => {
  const patched = examples.flatMap(({ result }) =>
    result.notes
      .filter(({ message }) => message.includes('JSON patch'))
      .map(({ object }) => object),
  );
  expect(patched).toEqual([]);
});

/** An EndpointSlice is left out. */
const LEFT_OUT: { readonly [example: string]: number } = { 'virtual-machines': 1 };

test.each(examples)(
  'declares the objects of $name by constructs where the example does',
  ({ name, result }) => {
    const own =
      readFileSync(join(__dirname, '..', '..', 'examples', name, 'main.ts'), 'utf8').match(
        /new ApiObject\(/g,
      ) ?? [];
    expect(result.clusters.reduce((sum, { apiObjects }) => sum + apiObjects, 0)).toBe(
      own.length - (LEFT_OUT[name] ?? 0),
    );
  },
);

test('what a program writes again, and was found on its cluster and left out, is not reported as created', () => {
  const clusters = exampleClusters('reference-stack').map((cluster) => ({
    ...cluster,
    objects: cluster.objects.map(({ manifest: { metadata, ...fields }, ...object }) => ({
      ...object,
      manifest: { ...fields, metadata: { ...metadata, uid: 'live' } },
    })),
  }));
  const { leftOut, differences: differing } = adoptPlatform({ clusters });
  expect(leftOut.flatMap(({ objects }) => objects)).toContain(
    'ServiceAccount harvester-system/rancher-node-driver',
  );
  expect(differing.filter(({ message }) => message === 'would be created')).toEqual([]);
});
