import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyAll, complaints, deleteAll } from './apply-all';
import { Client } from './client';
import { clientOf, describeCluster } from './clusters';
import { readManifestFile } from './manifests';
import { isEmpty, lost } from './subset';
import { LateType, complete } from '../../src/core/late/late-text';
import { Manifest, groupOf, objectLabel } from '../../src/core/manifest/manifest';
import { Assembly, AssemblyTarget } from '../../src/core/output/assembly';
import { readAssembly } from '../../src/engine/read/load-assembly';

const EXAMPLES = process.env.EXAMPLES_DIR ?? path.resolve(__dirname, '..', '..', 'examples');

const examples = findExamples();

describeCluster('examples', () => {
  test(`there is a committed output below ${path.basename(EXAMPLES)}/`, () => {
    expect(examples).not.toEqual([]);
  });

  for (const example of examples) {
    const output = path.join(EXAMPLES, example, 'dist');
    const assembly = readAssembly(output);
    for (const target of assembly.targets) {
      const count = assembly.objects.filter(object => object.target === target.name).length;
      // a guest cluster is a target too where the program declares nothing in it, and has no folder then
      if (count === 0) continue;
      test(`${example}: the ${target.kind} cluster "${target.name}" takes and keeps everything, and a second time changes nothing`, async () => {
        const objects = [...plainObjects(output, assembly, target), ...lateObjects(assembly, target)];
        expect(objects).toHaveLength(count);
        expect(await problemsOf(clientOf(target.kind), objects)).toEqual([]);
      });
    }
  }
});

function findExamples(): string[] {
  if (!fs.existsSync(EXAMPLES)) return [];
  return fs.readdirSync(EXAMPLES).filter(name => fs.existsSync(path.join(EXAMPLES, name, 'dist', 'assembly.json'))).sort();
}

/** The objects in the files of a target, in their order; none where all of its objects wait for late values. */
function plainObjects(output: string, { objects }: Assembly, target: AssemblyTarget): Manifest[] {
  const files = new Set(objects.flatMap(({ target: name, file }) => (file !== undefined && name === target.name ? [file] : [])));
  return [...files].sort().flatMap(file => readManifestFile(path.join(output, file)));
}

/** The objects that wait for late values, completed by values that no cluster gave, so that their shape is judged as well. */
function lateObjects({ objects, lateValues }: Assembly, target: AssemblyTarget): Manifest[] {
  const values = new Map(lateValues.map(({ id, type }) => [id, type === LateType.URL ? 'https://late.example.com' : 'late']));
  return objects.flatMap(({ target: name, template }) => (template && name === target.name ? [complete(template, values)] : []));
}

async function problemsOf(client: Client, objects: Manifest[]): Promise<string[]> {
  const { applied } = await applyAll(client, objects, { createNamespaces: true });
  const created = applied.filter(({ answer }) => answer.status === 201).map(({ object }) => object);
  try {
    const refused = applied.flatMap(complaints);
    if (refused.length > 0) return refused;
    const again = await Promise.all(objects.map(async object => [...await notKept(client, object), ...await changedByApply(client, object)]));
    return again.flat();
  } finally {
    // the next example starts from the same cluster
    await deleteAll(client, created);
  }
}

async function notKept(client: Client, object: Manifest): Promise<string[]> {
  const { body } = await client.read(object);
  return lost(asStored(object), body, isBuiltIn(object) ? isEmpty : undefined).map(problem => `${objectLabel(object)}: ${problem}`);
}

/** The server moves the text below `stringData` of a Secret to `data`. */
function asStored(object: Manifest): unknown {
  const { stringData, ...rest } = object as Manifest & { stringData?: { [key: string]: string }; data?: { [key: string]: string } };
  if (object.kind !== 'Secret' || !stringData) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { ...rest, data: { ...rest.data, ...Object.fromEntries(encoded) } };
}

/**
 * Applies an object once more. Custom resources must not change, as only these tests write them. Controllers write to objects of built-in
 * types, and the server itself rewrites a claim of a volume at its second apply, without a difference: those must come to rest.
 */
async function changedByApply(client: Client, object: Manifest): Promise<string[]> {
  for (let attempts = isBuiltIn(object) ? 10 : 1; ; attempts--) {
    const { body: before } = await client.read(object);
    const answer = await client.apply(object);
    const problems = complaints({ object, answer });
    if (problems.length > 0 || before.metadata.resourceVersion === answer.body.metadata.resourceVersion) return problems;
    if (attempts === 1) return [`${objectLabel(object)}: applied again without a change, it got another resourceVersion`];
    await sleep(200);
  }
}

function isBuiltIn({ apiVersion }: Manifest): boolean {
  const group = groupOf(apiVersion);
  return !group.includes('.') || group.endsWith('.k8s.io');
}
