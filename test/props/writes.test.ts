import { readFileSync, writeFileSync } from 'fs';
import { ApiObject } from 'cdk8s';
import { Construction, constructions } from './_constructions';
import { readDeclarations } from './_declarations';
import { Generator, Make } from './_generator';
import { Place, Versions } from './_place';
import { HINTS } from './_table';
import * as library from '../../src';
import { TargetKind } from '../../src/core/construct/target';
import { Manifest, kindKey, leavesOf, pathText } from '../../src/core/manifest/manifest';
import { compareManifest } from '../../src/core/shape/compare-manifest';
import { compare, grouped, lazily } from '../../src/core/text/values';
import { PROPS_FILE } from '../../src/report/changes/prop-names';
import { WRITES_FILE, constructsThatWrite } from '../../src/report/explain/writes';
import { testOfAll } from '../support/cases';
import { PUBLIC_NAMES } from '../support/public-names';

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
const generator = new Generator(declarations, HINTS, PUBLIC_NAMES);
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

/** An object of a construction, and the chart that it is below. */
interface Made {
  readonly construct: string;
  readonly versions: Versions;
  readonly chart: library.TargetChart;
  readonly object: ApiObject;
}

function objectsMadeBy(entry: Construction): Made[] {
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
    return objects.map((object): Made => {
      const chart = object.node.scopes.find(
        (scope): scope is library.TargetChart => 'targetKind' in scope,
      )!;
      return { construct: entry.name.split('.')[0], versions, chart, object };
    });
  });
}

/** All objects that constructs make with each of their props: only where all cases run. */
const allMade = lazily(() => entries.flatMap(objectsMadeBy));

function writtenKind({ construct, chart, object }: Made): Written {
  return { construct, kind: kindOfObject(object), target: chart.targetKind };
}

/** The fields of an object that its kind does not have in the versions of its place. */
function unknownFieldsOf({ construct, versions, chart, object }: Made): string[] {
  const target = {
    kind: chart.targetKind,
    rancherVersion: versions.rancher,
    harvesterVersion: versions.harvester,
  };
  const manifest = object.toJson() as Manifest;
  const unknown = compareManifest(manifest, target)?.unknown ?? [];
  return unknown.map(({ path }) => `${construct}: ${object.kind} ${fieldPath(path)}`);
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

/** Whether files that differ are written: `npx projen writes`. */
const UPDATES = Boolean(process.env.UPDATE_WRITES);

function expectText(file: string, now: string): void {
  if (UPDATES) {
    writeFileSync(file, now);
  }
  expect(readFileSync(file, 'utf8')).toBe(now);
}

testOfAll(
  'schema/writes.json lists every kind that a construct writes, and its targets: npx projen writes',
  () => expectText(WRITES_FILE, fileOf([...allMade().map(writtenKind), ...ELSEWHERE])),
  300_000,
);

/** Props that take a struct of Kubernetes as it is: the generator gives one without a meaning. */
const PASSED_ON = /DeploymentCustomization\.overrideAffinity$/;

testOfAll('each field that a construct writes is one of its kind: npx projen shapes', () => {
  // an earlier version may lack a field, which a rule reports
  const newest = allMade().filter(({ versions }) => versions === VERSIONS[0]);
  const unknown = new Set(newest.flatMap(unknownFieldsOf));
  expect([...unknown].filter((field) => !PASSED_ON.test(field))).toEqual([]);
});

/** A field that changes with a prop. */
interface SetField {
  readonly construct: string;
  readonly kind: string;
  readonly field: string;
  readonly prop: string;
  /** How many fields change with it. */
  readonly among: number;
}

const INDEX = /\[\d+\]/g;

/** The path of a prop as the program writes it: without the factories of values on the way. */
function propPath(path: string): string {
  return path
    .split('.')
    .filter((step) => !step.endsWith('()'))
    .join('.')
    .replaceAll('.[]', '[]')
    .replaceAll('.*', '');
}

/** The path of a field with any index, without keys that the program chooses. */
function fieldPath(path: string): string {
  return path.replace(INDEX, '[]').replace(/(?:\.generated)+$/, '');
}

function kindOfObject({ apiGroup, kind }: ApiObject): string {
  return kindKey(apiGroup === 'core' ? '' : apiGroup, kind);
}

/** The fields of objects, by the paths of their constructs. */
function fieldsOf(objects: readonly ApiObject[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  return new Map(
    objects.map((object) => [
      object.node.path,
      new Map(
        leavesOf(object.toJson()).map(({ leaf, path }) => [
          pathText(path),
          JSON.stringify(leaf) ?? '',
        ]),
      ),
    ]),
  );
}

/** The fields that one variant of a prop changes. */
function changedBy(
  entry: Construction,
  path: string,
  without: readonly ApiObject[],
  changed: readonly ApiObject[],
): SetField[] {
  const before = fieldsOf(without);
  const kinds = new Map(changed.map((object) => [object.node.path, kindOfObject(object)]));
  const found = [...fieldsOf(changed)].flatMap(([at, fields]) => {
    const was = before.get(at);
    return was === undefined
      ? []
      : [...fields]
          .filter(([field, value]) => was.get(field) !== value)
          .map(([field]) => ({ kind: kinds.get(at)!, field: fieldPath(field) }));
  });
  const construct = entry.name.split('.')[0];
  const prop = propPath(path);
  const unique = new Map(found.map((each) => [`${each.kind} ${each.field}`, each]));
  return [...unique.values()].map((each) => ({ construct, prop, among: unique.size, ...each }));
}

/**
 * Whether it adds to a list of a constructor, whose props name the fields: findings name the
 * item of the list. Namespaces are objects of their own.
 */
function isAddition({ name }: Construction): boolean {
  return /\.add\w+\(\)$/.test(name) && !name.endsWith('.addNamespace()');
}

function setFieldsOf(entry: Construction): SetField[] {
  return VERSIONS.flatMap((versions) => {
    const others = objectsBefore(entry, versions);
    return generator.argumentVariants(entry.parameters, []).flatMap(({ path, pairs }) => {
      for (const pair of pairs) {
        const without = written(entry, pair.without, versions, others);
        const changed = without && written(entry, pair.with, versions, others);
        const found = changed ? attemptChanged(entry, path, without, changed) : [];
        if (found.length > 0) {
          return found;
        }
      }
      return [];
    });
  });
}

function attemptChanged(
  entry: Construction,
  path: string,
  without: readonly ApiObject[],
  changed: readonly ApiObject[],
): SetField[] {
  try {
    return changedBy(entry, path, without, changed);
  } catch {
    return [];
  }
}

/** Kinds of which each object has fields of its own. */
const BY_NAME: readonly string[] = [
  'harvesterhci.io/Setting',
  'management.cattle.io/Setting',
  'management.cattle.io/Feature',
];

/** What several props begin with; undefined if they have nothing in common. */
function commonStart(props: readonly string[]): string | undefined {
  const [first, ...others] = props.map((prop) => prop.split('.'));
  const end = first!.findIndex((step, at) => others.some((other) => other[at] !== step));
  return first!.slice(0, end < 0 ? first!.length : end).join('.') || undefined;
}

/** The prop of a field: of the first construct for its kind, the one that changes least else. */
function propOfField(setters: readonly SetField[], writers: readonly string[]): string {
  const place = ({ construct }: SetField): number => writers.indexOf(construct);
  const [best] = [...setters].sort(
    (a, b) =>
      place(a) - place(b) ||
      a.among - b.among ||
      a.prop.length - b.prop.length ||
      compare(a.prop, b.prop),
  );
  // a text that several props make is that of what contains them
  const propsUpTo = (most: number): string[] =>
    setters
      .filter(({ construct, among }) => construct === best!.construct && among <= most)
      .map(({ prop }) => prop);
  const wider = commonStart(propsUpTo(best!.among + 1));
  return wider === undefined || wider.endsWith('[]')
    ? (commonStart(propsUpTo(best!.among)) ?? best!.prop)
    : wider;
}

/** A line for each kind: the props by the fields that change with them. */
function propsFileOf(all: readonly SetField[]): string {
  const lines = [...grouped(all, ({ kind }) => kind)]
    .filter(([kind]) => !BY_NAME.includes(kind))
    .sort(([a], [b]) => compare(a, b))
    .map(([kind, own]) => {
      const [group, name] = kind.split(/\/(?=[^/]+$)/) as [string, string];
      const writers = constructsThatWrite(group, name);
      const props = [...grouped(own, ({ field }) => field)]
        .map(([field, setters]) => [field, propOfField(setters, writers)] as const)
        .sort(([a], [b]) => compare(a, b));
      return `${JSON.stringify(kind)}:${JSON.stringify(Object.fromEntries(props))}`;
    });
  return `{\n${lines.join(',\n')}\n}\n`;
}

testOfAll(
  'schema/props.json lists the prop of every field that changes with one: npx projen writes',
  () => {
    const entriesOfProps = entries.filter((entry) => !isAddition(entry));
    expectText(PROPS_FILE, propsFileOf(entriesOfProps.flatMap(setFieldsOf)));
  },
  300_000,
);
