import { execFileSync } from 'child_process';
import { createHash } from 'crypto';
import { readdirSync } from 'fs';
import { join } from 'path';
import { foundId } from '../../../src/adopt/evaluate/statements';
import { adoptPlatform } from '../../../src/adopt/project/run-adopt';
import { ProgramSources } from '../../../src/adopt/update/project';
import { AdoptUpdate, updateOf } from '../../../src/adopt/update/update';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { FoundObject, FoundCluster } from '../../../src/core/draft/draft';
import { collect } from '../../../src/core/synthesis/collect';
import { appOf as engineApp } from '../../../src/engine/fields/apply-set';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { runModule } from '../../support/run-program';
import { exampleClusters } from '../_examples';
import { diagnosticsOf, fieldsChanged, writeProgram } from '../_programs';

/** How often someone creates objects by hand. */
const ROUNDS = 3;

/** Kinds of what others refer to: they are live before the program. */
const FIRST: readonly string[] = [
  'Namespace',
  'Project',
  'Cluster',
  'HarvesterConfig',
  'RoleTemplate',
  'User',
  'ServiceAccount',
  'Secret',
];

/** What is live in each round: 0 is before the program. */
function roundsOf(clusters: readonly FoundCluster[]): FoundCluster[][] {
  const round = ({
    manifest: {
      kind,
      metadata: { name },
    },
  }: FoundObject): number =>
    FIRST.includes(kind) ? 0 : createHash('sha256').update(name).digest()[0] % (ROUNDS + 1);
  return Array.from({ length: ROUNDS + 1 }, (_, now) =>
    clusters.map((cluster) => ({
      ...cluster,
      objects: cluster.objects.filter((object) => round(object) <= now),
    })),
  );
}

function update(folder: string, clusters: readonly FoundCluster[]): AdoptUpdate {
  const dist = join(folder, 'dist');
  return updateOf({
    program: loadAssembly(dist),
    app: engineApp('default'),
    read: { clusters, listed: [], unreached: [] },
    compared: [],
    project: new ProgramSources(folder, dist),
    scrub: (text) => text,
  }).update;
}

interface Updated {
  readonly name: string;
  readonly clusters: readonly FoundCluster[];
  readonly folder: string;
  /** Each update, and that after it was applied. */
  readonly rounds: readonly { readonly found: AdoptUpdate; readonly after: AdoptUpdate }[];
}

const programIn = (folder: string): HarvesterApp => runModule(join(folder, 'platform.ts')).app;

/** Adopts a part of an example, and updates the program as the rest is created. */
function updateExample(name: string): Updated {
  const clusters = exampleClusters(name);
  const [before, ...later] = roundsOf(clusters);
  const { files } = adoptPlatform({ clusters: before });
  const folder = writeProgram(files, 'dist');
  programIn(folder).synth();
  const rounds = later.map((live) => {
    const found = update(folder, live);
    if (found.diff !== '') {
      execFileSync('git', ['-C', folder, 'apply', '-'], { input: found.diff });
    }
    programIn(folder).synth();
    return { found, after: update(folder, live) };
  });
  return { name, clusters, folder, rounds };
}

process.env.CDK8S_HARVESTER_SECRETS = 'placeholder';
const updated = [
  'three-tenants',
  'rke2-production',
  'tenants-walk',
  'share-ip',
  'reference-stack',
].map(updateExample);

test('programs with three updates compile as strictly as new projects do', () => {
  const files = updated.flatMap(({ folder }) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('node_modules'))
      .map((file) => join(folder, file)),
  );
  expect(files.filter((file) => /adopted-3\.ts$/.test(file)).length).toBeGreaterThan(2);
  expect(diagnosticsOf(files)).toEqual([]);
});

describe.each(updated)('$name', ({ clusters, folder, rounds }) => {
  test('has something to add in several rounds, and nothing after it was added', () => {
    expect(rounds.filter(({ found }) => found.added.length > 0).length).toBeGreaterThan(1);
    expect(rounds.flatMap(({ found }) => found.differences)).toEqual([]);
    expect(rounds.map(({ after: { added, pending, diff } }) => ({ added, pending, diff }))).toEqual(
      rounds.map(() => ({ added: [], pending: [], diff: '' })),
    );
  });

  test('is patched, so that the user has nothing to call', () => {
    expect(rounds.map(({ found }) => found.call)).toEqual(rounds.map(() => undefined));
  });

  test('accepts no error that the whole program does not have', () => {
    const rules = programIn(folder)
      .validate()
      .filter(({ suppressed }) => suppressed === undefined)
      .map(({ rule }) => rule);
    expect(rules).not.toContain('program/unused-suppression');
  });

  test('declares all fields of what was found', () => {
    const rendered = new Map(
      collect(programIn(folder)).objects.map(({ id, manifest }) => [id, manifest]),
    );
    const added = new Set(
      rounds.flatMap(({ found }) => found.added.map(({ target, object }) => `${target} ${object}`)),
    );
    const problems = clusters
      .flatMap(({ objects }) => objects)
      .flatMap((object) => {
        const {
          kind,
          metadata: { namespace, name },
        } = object.manifest;
        if (
          !added.has(
            `${object.target} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
          )
        ) {
          return [];
        }
        const made = rendered.get(foundId(object));
        return made
          ? fieldsChanged(made, object.manifest).map((field) => `${foundId(object)}: ${field}`)
          : [`${foundId(object)}: is missing`];
      });
    expect(problems).toEqual([]);
  });
});
