import { readdirSync } from 'fs';
import { join } from 'path';
import { adoptPlatform, AdoptResult } from '../../../src/adopt/project/run-adopt';
import { readFolder } from '../../../src/adopt/read/folder';
import { TargetKind } from '../../../src/core/construct/target';
import { FoundCluster } from '../../../src/core/draft/draft';
import { isRecord, Manifest, objectKey, objectLabel } from '../../../src/core/manifest/manifest';
import { testOfAll } from '../../support/cases';
import { diagnosticsOf, writeProgram } from '../_programs';
import { synthesized } from '../_run';

/**
 * Manifests in the style of repositories that people keep: homes, tenants, cluster templates, guest
 * clusters, GitOps, and Cluster API. Each folder is a platform, with a folder for each cluster.
 */
const VERSIONS: { readonly [kind in TargetKind]: string } = {
  [TargetKind.RANCHER]: '2.13.8',
  [TargetKind.HARVESTER]: '1.7.2',
  [TargetKind.GUEST]: 'v1.33.6+rke2r1',
};

const KINDS: { readonly [folder: string]: TargetKind } = {
  rancher: TargetKind.RANCHER,
  dc1: TargetKind.HARVESTER,
  shop: TargetKind.GUEST,
};

interface Platform {
  readonly name: string;
  readonly clusters: readonly FoundCluster[];
  readonly result: AdoptResult;
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

const PLATFORMS = foldersIn(__dirname).map((name): Platform => {
  const clusters = foldersIn(join(__dirname, name)).map((target): FoundCluster => {
    const kind = KINDS[target];
    const serverUrl = kind === TargetKind.RANCHER ? 'https://rancher.example.com' : undefined;
    const found = readFolder({ name: target, folder: join(__dirname, name, target), kind });
    return { ...found, version: VERSIONS[kind], serverUrl };
  });
  return { name, clusters, result: adoptPlatform({ clusters }) };
});

const all = PLATFORMS.map(({ result }) => result);
const clusters = all.flatMap((result) => result.clusters);
const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

/** The paths of the values of an object, with `[]` for all items of a list. */
function leavesOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((each) => leavesOf(each, `${path}[]`));
  }
  if (!isRecord(value) || Object.keys(value).length === 0) {
    return [path];
  }
  return Object.entries(value).flatMap(([key, each]) => {
    const step = /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${key}]`;
    return leavesOf(each, `${path}${step}`.replace(/^\./, ''));
  });
}

/** Fields of files that neither the output has nor the report lists. */
function lostIn({ clusters: read, result }: Platform): readonly string[] {
  for (const { name } of result.variables) {
    process.env[name] = 'correct-horse-battery';
  }
  const written = new Map<string, Manifest>(
    synthesized(result.files).map((manifest) => [objectKey(manifest), manifest]),
  );
  return read.flatMap(({ name: target, objects }) =>
    objects.flatMap(({ manifest }) => {
      const own = written.get(objectKey(manifest));
      const label = objectLabel(manifest);
      const known = result.leftOutFields
        .filter((each) => each.target === target && each.objects.includes(label))
        .map(({ field }) => field);
      const rendered = own && leavesOf(own);
      return leavesOf(manifest)
        .filter((path) => rendered && !rendered.some((each) => each.startsWith(path)))
        .filter((path) => !known.some((field) => path.startsWith(field)))
        .map((path) => `${label}: ${path}`);
    }),
  );
}

test('has 606 objects', () => {
  expect(sum(clusters.map(({ found }) => found))).toBe(606);
});

describe.each(PLATFORMS)('$name', (platform) => {
  test('is adopted without a difference, an impact, or an error', () => {
    const { differences, errors, unread } = platform.result;
    expect({ differences, errors, unread }).toEqual({ differences: [], errors: [], unread: [] });
  });

  test('synthesizes at once, and loses no field of a file', () => {
    expect(lostIn(platform)).toEqual([]);
  });
});

testOfAll('compiles as strictly as new projects do', () => {
  const files = PLATFORMS.flatMap(({ result }) => {
    const folder = writeProgram(result.files);
    return [...result.files.keys()].map((file) => join(folder, file));
  });
  expect(diagnosticsOf(files)).toEqual([]);
});

test('becomes constructs, with few patches', () => {
  const constructs = sum(clusters.map((each) => each.constructs));
  const patched = sum(clusters.map((each) => each.patched));
  const plain = all.flatMap(({ notes }) =>
    notes.filter(
      ({ message }) =>
        message.startsWith('is declared as an ApiObject') &&
        !message.endsWith('no construct writes such objects'),
    ),
  );
  expect(constructs / (constructs + plain.length)).toBeGreaterThanOrEqual(0.95);
  // docs/adopt/manifests.md has these numbers
  expect(constructs).toBeGreaterThanOrEqual(528);
  expect(patched).toBeLessThanOrEqual(39);
});
