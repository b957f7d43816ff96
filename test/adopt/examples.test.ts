import { mkdirSync, symlinkSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import * as ts from 'typescript';
import { EXAMPLE_NAMES, exampleClusters } from './_examples';
import { AdoptResult, adoptPlatform } from '../../src/adopt/project/run-adopt';
import { HIDDEN_VALUE } from '../../src/adopt/read/hidden-secrets';
import type { HarvesterApp } from '../../src/core/app/harvester-app';
import { FoundCluster, idOfName, nameOf } from '../../src/core/draft/inverse';
import { mayBecome } from '../../src/core/late/late-token';
import { Manifest, pathText } from '../../src/core/manifest/manifest';
import { collect } from '../../src/core/synthesis/collect';
import { LiveObject } from '../../src/engine/cluster/cluster';
import { differences, keepLiveValues, meansTheSame } from '../../src/engine/fields/compare-desired';
import { ROOT } from '../support/source-library';
import { tempFolder } from '../support/temp';

interface AdoptedExample {
  readonly name: string;
  readonly clusters: readonly FoundCluster[];
  readonly result: AdoptResult;
  readonly folder: string;
}

const DELIVERY = 'import { Delivery, type HarvesterAppProps } from \'cdk8s-harvester\';\n\nexport const DELIVERY: HarvesterAppProps = { delivery: Delivery.none() };\n';

function adoptExample(name: string): AdoptedExample {
  const clusters = exampleClusters(name);
  const result = adoptPlatform({ clusters });
  const folder = tempFolder();
  for (const [file, text] of [...result.files, ['delivery.ts', DELIVERY] as const]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return { name, clusters, result, folder };
}

const examples = EXAMPLE_NAMES.map(adoptExample);

/** What is wrong with the programs, as strictly as a new project is compiled. */
function diagnosticsOf(): string[] {
  const files = examples.flatMap(({ folder, result }) => [...result.files.keys()].map((file) => join(folder, file)));
  const program = ts.createProgram(files, {
    ...{ noEmit: true, strict: true, noUnusedLocals: true, skipLibCheck: true, types: ['node'] },
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Preserve,
    paths: { 'cdk8s-harvester': [join(ROOT, 'src', 'index.ts')], '*': [join(ROOT, 'node_modules', '*')] },
  });
  return files.flatMap((file) => {
    const source = program.getSourceFile(file)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(({ messageText, start }) => (
      `${file}:${source.getLineAndCharacterOfPosition(start ?? 0).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`));
  });
}

/** Runs a program in this process. */
function appOf(folder: string): HarvesterApp {
  let app: HarvesterApp | undefined;
  // a fresh load, since the program is the module itself
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  jest.isolateModules(() => { ({ app } = require(join(folder, 'platform.ts'))); });
  return app!;
}

/** Fields of the found objects that the program would change, objects that it lacks, and objects that it would create. */
function changesOf({ folder, clusters, result }: AdoptedExample): string[] {
  const rendered = new Map(collect(appOf(folder)).objects.map((object) => [object.id, object]));
  const found = new Set(clusters.flatMap(({ objects }) => objects).map((object) => idOfName(nameOf(object))));
  const leftOut = new Set(result.leftOut.flatMap(({ target, objects }) => objects.map((object) => `${target} ${object}`)));
  return [
    ...[...rendered.keys()].filter((id) => !found.has(id)).map((id) => `${id}: would be created`),
    ...clusters.flatMap(({ name, objects }) => objects.flatMap((object) => {
      const id = idOfName(nameOf(object));
      const made = rendered.get(id);
      if (made) { return fieldsOf(keepLiveValues({}, made.manifest, object.manifest).manifest, object.manifest).map((field) => `${id}: ${field}`); }
      const { kind, metadata: { namespace, name: own } } = object.manifest;
      return leftOut.has(`${name} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${own}`) ? [] : [`${id}: is missing`];
    })),
  ];
}

function fieldsOf(rendered: Manifest, manifest: Manifest): string[] {
  const live = manifest as LiveObject;
  const isSame = (before: unknown, after: unknown): boolean => before === HIDDEN_VALUE
    || (typeof before === 'string' && typeof after === 'string' && mayBecome(after, before));
  return differences(rendered, live, undefined)
    .filter(({ path, before, after }) => !meansTheSame(live, path, before, after) && !isSame(before, after))
    .map(({ path }) => pathText(path));
}

test('programs of adopted examples compile as strictly as new projects do', () => {
  expect(diagnosticsOf()).toEqual([]);
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
  const patched = examples.flatMap(({ result }) => result.notes.filter(({ message }) => message.includes('JSON patch')).map(({ object }) => object));
  expect(patched).toEqual([]);
});

test('each object is declared by a construct', () => {
  expect(examples.filter(({ result }) => result.clusters.some(({ apiObjects }) => apiObjects > 0)).map(({ name }) => name)).toEqual([]);
});
