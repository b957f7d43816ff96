import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyAll, complaints, deleteAll } from './apply-all';
import { Client, UnknownKindError } from './client';
import { ClusterKind, clientOf, describeCluster } from './clusters';
import { installDefinitions, otherDefinitions } from './definitions';
import { readManifestFile } from './manifests';
import { isEmpty, lost } from './subset';
import { LateType, complete } from '../../src/core/late/late-text';
import { Manifest, groupOf, objectLabel } from '../../src/core/manifest/manifest';
import { Assembly, AssemblyTarget } from '../../src/core/output/assembly';
import { readAssembly } from '../../src/engine/read/load-assembly';

const EXAMPLES = process.env.EXAMPLES_DIR ?? path.resolve(__dirname, '..', '..', 'examples');

/**
 * Kinds that the servers of these tests lack: of charts that an example installs, and of RKE2 on
 * the nodes of Harvester.
 */
const NOT_SERVED: { readonly [kind: string]: readonly string[] } = {
  harvester: ['ClusterFlow', 'ClusterOutput', 'HelmChartConfig'],
};

const examples = findExamples();

describeCluster('examples', () => {
  test(`there is a committed output below ${path.basename(EXAMPLES)}/`, () => {
    expect(examples).not.toEqual([]);
  });

  for (const example of examples) {
    const output = path.join(EXAMPLES, example, 'dist');
    const assembly = readAssembly(output);
    for (const target of assembly.targets) {
      const count = assembly.objects.filter((object) => object.target === target.name).length;
      // a guest cluster is a target too where the program declares nothing in it, and has no folder
      // then
      if (count === 0) {
        continue;
      }
      test(`${example}: the ${target.kind} cluster "${target.name}" takes and keeps everything, and a second time changes nothing`, async () => {
        const objects = [
          ...plainObjects(output, assembly, target),
          ...lateObjects(assembly, target),
        ];
        expect(objects).toHaveLength(count);
        const client = clientOf(target.kind);
        const definitions =
          target.kind === 'rancher'
            ? otherDefinitions(
                objects.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`),
                target.version!,
              )
            : [];
        const [others, own] = [
          definitions.map(([other]) => other),
          definitions.map(([, definition]) => definition),
        ];
        await installDefinitions(client, others);
        try {
          expect(
            await problemsOf(
              client,
              objects.filter(({ kind }) => !NOT_SERVED[target.kind]?.includes(kind)),
            ),
          ).toEqual([]);
        } finally {
          await installDefinitions(client, own);
        }
      });
    }
  }

  test.each(Object.entries(NOT_SERVED))(
    'what is not served on the %s cluster, is not served',
    async (cluster, names) => {
      const objects = examples
        .map((example) => path.join(EXAMPLES, example, 'dist'))
        .flatMap((output) => plainObjects(output, readAssembly(output)));
      for (const name of names) {
        const object = objects.find(({ kind }) => kind === name)!;
        await expect(clientOf(cluster as ClusterKind).pathOf(object)).rejects.toThrow(
          UnknownKindError,
        );
      }
    },
  );
});

function findExamples(): string[] {
  if (!fs.existsSync(EXAMPLES)) {
    return [];
  }
  return fs
    .readdirSync(EXAMPLES)
    .filter((name) => fs.existsSync(path.join(EXAMPLES, name, 'dist', 'assembly.json')))
    .sort();
}

/**
 * The objects in the files of a target, in their order; none where all of its objects wait for late
 * values.
 * @default target - all of them
 */
function plainObjects(output: string, { objects }: Assembly, target?: AssemblyTarget): Manifest[] {
  const files = new Set(
    objects.flatMap(({ target: name, file }) =>
      file !== undefined && name === (target?.name ?? name) ? [file] : [],
    ),
  );
  return [...files].sort().flatMap((file) => readManifestFile(path.join(output, file)));
}

/**
 * The objects that wait for late values, completed by values that no cluster gave, so that their
 * shape is judged as well.
 */
function lateObjects({ objects, lateValues }: Assembly, target: AssemblyTarget): Manifest[] {
  const values = new Map(
    lateValues.map(({ id, type, source }) => {
      const isAddress = 'path' in source && source.path.endsWith('.ipAddress');
      const text = isAddress ? '192.0.2.10' : 'late';
      return [id, type === LateType.URL ? 'https://late.example.com' : text];
    }),
  );
  const completed = objects.flatMap(({ target: name, template }) =>
    template && name === target.name ? [complete(template, values)] : [],
  );
  // later-commits.test.ts has owners that exist: the garbage collector deletes an object of others
  return completed.map(({ metadata: { ownerReferences: _, ...metadata }, ...object }) => ({
    ...object,
    metadata,
  }));
}

/** What an add-on has of which an example writes a part: Harvester's installer created it. */
const INSTALLED = {
  chart: 'one',
  repo: 'https://charts.example.com',
  version: '1.0.0',
  valuesContent: '',
};

/** Creates the add-ons of Harvester's installer, with the fields that the examples do not write. */
async function installAddons(client: Client, objects: Manifest[]): Promise<Manifest[]> {
  const parts = objects.filter(
    (object) => object.kind === 'Addon' && !('chart' in (object.spec as object)),
  );
  await applyAll(
    client,
    parts.map(({ metadata }) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: metadata.namespace! },
    })),
  );
  for (const {
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec,
  } of parts) {
    const body = {
      apiVersion,
      kind,
      metadata: { name, namespace },
      spec: { ...INSTALLED, ...(spec as object) },
    };
    const { status } = await client.request('POST', path.dirname(await client.pathOf(body)), {
      query: { fieldManager: 'installer' },
      body,
    });
    expect(status).toBe(201);
  }
  return parts;
}

async function problemsOf(client: Client, objects: Manifest[]): Promise<string[]> {
  const addons = await installAddons(client, objects);
  const { applied } = await applyAll(client, objects, { createNamespaces: true });
  const created = applied.filter(({ answer }) => answer.status === 201).map(({ object }) => object);
  try {
    const refused = applied.flatMap(complaints);
    if (refused.length > 0) {
      return refused;
    }
    const again = await Promise.all(
      objects.map(async (object) => [
        ...(await notKept(client, object)),
        ...(await changedByApply(client, object)),
      ]),
    );
    return again.flat();
  } finally {
    // the next example starts from the same cluster
    await deleteAll(client, [...created, ...addons]);
  }
}

async function notKept(client: Client, object: Manifest): Promise<string[]> {
  const { body } = await client.read(object);
  return lost(asStored(object), body, isBuiltIn(object) ? isEmpty : undefined).map(
    (problem) => `${objectLabel(object)}: ${problem}`,
  );
}

/** The server moves the text below `stringData` of a Secret to `data`. */
function asStored(object: Manifest): unknown {
  const { stringData, ...rest } = object as Manifest & {
    stringData?: { [key: string]: string };
    data?: { [key: string]: string };
  };
  if (object.kind !== 'Secret' || !stringData) {
    return object;
  }
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  return { ...rest, data: { ...rest.data, ...Object.fromEntries(encoded) } };
}

/**
 * Applies an object once more. Custom resources must not change, as only these tests write them.
 * Controllers write to objects of built-in types, and the server itself rewrites a claim of a
 * volume at its second apply, without a difference: those must come to rest.
 */
async function changedByApply(client: Client, object: Manifest): Promise<string[]> {
  for (let attempts = isBuiltIn(object) ? 10 : 1; ; attempts--) {
    const { body: before } = await client.read(object);
    const answer = await client.apply(object);
    const problems = complaints({ object, answer });
    if (
      problems.length > 0 ||
      before.metadata.resourceVersion === answer.body.metadata.resourceVersion
    ) {
      return problems;
    }
    if (attempts === 1) {
      return [
        `${objectLabel(object)}: applied again without a change, it got another resourceVersion`,
      ];
    }
    await sleep(200);
  }
}

function isBuiltIn({ apiVersion }: Manifest): boolean {
  const group = groupOf(apiVersion);
  return !group.includes('.') || group.endsWith('.k8s.io');
}
