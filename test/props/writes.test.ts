import { readFileSync, writeFileSync } from 'fs';
import { ApiObject } from 'cdk8s';
import { Construction, constructions } from './_constructions';
import { readDeclarations } from './_declarations';
import { Generator, Make } from './_generator';
import { Place, Versions } from './_place';
import { HINTS } from './_table';
import * as library from '../../src';
import { TargetKind } from '../../src/core/app/target';
import { kindKey } from '../../src/core/manifest/manifest';
import { compare, grouped } from '../../src/core/text/values';
import { WRITES_FILE } from '../../src/report/explain/writes';

/**
 * The first has what is new; on the second, RKE1 exists, and the CSI driver needs a Role of its
 * own.
 */
const VERSIONS: readonly Versions[] = [
  { rancher: '2.15.0', harvester: '1.9.0', kubernetes: 'rke2' },
  { rancher: '2.11.3', harvester: '1.5.1', kubernetes: 'rke2' },
];

/** A kind that a construct writes on a target. */
interface Written {
  readonly construct: string;
  readonly kind: string;
  readonly target: TargetKind;
}

const { RANCHER, HARVESTER, GUEST } = TargetKind;
const on = (construct: string, kind: string, ...targets: readonly TargetKind[]): Written[] =>
  targets.map((target) => ({ construct, kind, target }));

/**
 * What cannot be found by making constructs at one place: a factory without an ID, and a construct
 * for any cluster.
 */
const ELSEWHERE: readonly Written[] = [
  ...on('AdditionalCa', 'harvesterhci.io/Setting', HARVESTER),
  ...on('KubeconfigSecret', '/Secret', GUEST, RANCHER),
  ...on('ClusterRepo', 'catalog.cattle.io/ClusterRepo', GUEST, HARVESTER),
  ...on('HelmChartAddon', 'helm.cattle.io/HelmChart', HARVESTER, RANCHER),
  ...on('HelmChartConfig', 'helm.cattle.io/HelmChartConfig', HARVESTER, RANCHER),
];

const declarations = readDeclarations();
const generator = new Generator(declarations, HINTS, library);
const entries = constructions(declarations, generator);

function objectsOf({ app }: Place): ReadonlyMap<string, ApiObject> {
  return new Map(
    app.node
      .findAll()
      .filter((node): node is ApiObject => ApiObject.isApiObject(node))
      .map((object) => [object.node.path, object]),
  );
}

/**
 * The objects that a construction writes, those of its values left out; undefined for a value that
 * the constructs refuse, or that this version lacks.
 */
function written(
  entry: Construction,
  make: Make,
  versions: Versions,
  others: ReadonlyMap<string, ApiObject>,
): ApiObject[] | undefined {
  const place = new Place(versions);
  try {
    const given = make(place) as unknown[];
    const before = objectsOf(place);
    entry.run(place, given);
    return [...objectsOf(place)]
      .filter(([path]) => !before.has(path) && !others.has(path))
      .map(([, object]) => object);
  } catch {
    return undefined;
  }
}

/** The objects of the construct that a method is called on, and of its values. */
function objectsBefore({ name }: Construction, versions: Versions): ReadonlyMap<string, ApiObject> {
  const place = new Place(versions);
  const construct = name.endsWith('()')
    ? entries.find((entry) => entry.name === name.split('.')[0])
    : undefined;
  try {
    construct?.run(place, leastOf(construct)(place) as unknown[]);
  } catch {
    /* a version without the construct */
  }
  return objectsOf(place);
}

function leastOf({ parameters }: Construction): Make {
  return generator.arguments(parameters.filter(({ optional }) => !optional));
}

function writesOf(entry: Construction): Written[] {
  const variants = generator.argumentVariants(entry.parameters, []);
  return VERSIONS.flatMap((versions) => {
    const others = objectsBefore(entry, versions);
    const objects = written(entry, leastOf(entry), versions, others) ?? [];
    for (const { isAlike, pairs } of variants) {
      for (const pair of pairs) {
        const made = written(entry, pair.with, versions, others);
        objects.push(...(made ?? []));
        if (made && isAlike) {
          break;
        }
      }
    }
    return objects.map((object): Written => {
      const { targetKind } = object.node.scopes.find(
        (scope): scope is library.TargetChart => 'targetKind' in scope,
      )!;
      return {
        construct: entry.name.split('.')[0],
        kind: kindKey(object.apiGroup === 'core' ? '' : object.apiGroup, object.kind),
        target: targetKind,
      };
    });
  });
}

/** A line for each construct, with its kinds and their targets. */
function fileOf(all: readonly Written[]): string {
  const lines = [...grouped(all, ({ construct }) => construct)]
    .sort(([a], [b]) => compare(a, b))
    .map(([construct, own]) => {
      const kinds = [...grouped(own, ({ kind }) => kind)]
        .sort(([a], [b]) => compare(a, b))
        .map(([kind, each]) => [
          kind,
          Object.values(TargetKind).filter((target) => each.some((one) => one.target === target)),
        ]);
      return `${JSON.stringify(construct)}:${JSON.stringify(Object.fromEntries(kinds))}`;
    });
  return `{\n${lines.join(',\n')}\n}\n`;
}

test('schema/writes.json lists every kind that a construct writes, and its targets; it is written where it differs', () => {
  const [before, now] = [
    readFileSync(WRITES_FILE, 'utf8'),
    fileOf([...entries.flatMap(writesOf), ...ELSEWHERE]),
  ];
  if (now !== before) {
    writeFileSync(WRITES_FILE, now);
  }
  expect(before).toBe(now);
}, 300_000);
