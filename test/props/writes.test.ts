import { ApiObject } from 'cdk8s';
import { Construction, constructions } from './_constructions';
import { readDeclarations } from './_declarations';
import { Generator, Make } from './_generator';
import { Place, Versions } from './_place';
import { HINTS } from './_table';
import * as library from '../../src';
import { kindKey } from '../../src/core/manifest/manifest';
import { WRITERS } from '../../src/report/explain/writes.data';

/** The first has what is new; on the second, RKE1 exists, and the CSI driver needs a Role of its own. */
const VERSIONS: readonly Versions[] = [
  { rancher: '2.15.0', harvester: '1.9.0', kubernetes: 'rke2' },
  { rancher: '2.11.3', harvester: '1.5.1', kubernetes: 'rke2' },
];

/** What cannot be found by making constructs at one place: a factory without an ID, and a construct for any cluster. */
const ELSEWHERE = [
  'AdditionalCa: harvesterhci.io/Setting on harvester', 'KubeconfigSecret: /Secret on guest', 'KubeconfigSecret: /Secret on rancher',
  'ClusterRepo: catalog.cattle.io/ClusterRepo on guest', 'ClusterRepo: catalog.cattle.io/ClusterRepo on harvester',
  ...['HelmChartAddon: helm.cattle.io/HelmChart', 'HelmChartConfig: helm.cattle.io/HelmChartConfig'].flatMap((kind) => [`${kind} on harvester`, `${kind} on rancher`]),
];

const declarations = readDeclarations();
const generator = new Generator(declarations, HINTS, library);
const entries = constructions(declarations, generator);

function objectsOf({ app }: Place): ReadonlyMap<string, ApiObject> {
  return new Map(app.node.findAll().filter((node): node is ApiObject => ApiObject.isApiObject(node)).map((object) => [object.node.path, object]));
}

/** The objects that a construction writes, those of its values left out. */
function written(entry: Construction, make: Make, versions: Versions, others: ReadonlyMap<string, ApiObject>): ApiObject[] {
  const place = new Place(versions);
  try {
    const given = make(place) as unknown[];
    const before = objectsOf(place);
    entry.run(place, given);
    return [...objectsOf(place)].filter(([path]) => !before.has(path) && !others.has(path)).map(([, object]) => object);
  } catch {
    return []; // a value that the constructs refuse, or that this version lacks
  }
}

/** The objects of the construct that a method is called on, and of its values. */
function objectsBefore({ name }: Construction, versions: Versions): ReadonlyMap<string, ApiObject> {
  const place = new Place(versions);
  const construct = name.endsWith('()') ? entries.find((entry) => entry.name === name.split('.')[0]) : undefined;
  try {
    construct?.run(place, leastOf(construct)(place) as unknown[]);
  } catch { /* a version without the construct */ }
  return objectsOf(place);
}

function leastOf({ parameters }: Construction): Make {
  return generator.arguments(parameters.filter(({ optional }) => !optional));
}

function writesOf(entry: Construction): string[] {
  const makes = [leastOf(entry), ...generator.argumentVariants(entry.parameters, []).flatMap(({ pairs }) => pairs.map((pair) => pair.with))];
  return VERSIONS.flatMap((versions) => {
    const others = objectsBefore(entry, versions);
    return makes.flatMap((make) => written(entry, make, versions, others)).map((object) => {
      const { targetKind } = object.node.scopes.find((scope): scope is library.TargetChart => 'targetKind' in scope)!;
      return `${entry.name.split('.')[0]}: ${kindKey(object.apiGroup === 'core' ? '' : object.apiGroup, object.kind)} on ${targetKind}`;
    });
  });
}

test('explain lists every kind that a construct writes, and its target', () => {
  const listed = Object.entries(WRITERS).flatMap(([target, groups]) => Object.entries(groups).flatMap(([group, kinds]) => (
    Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => `${name}: ${kindKey(group, kind)} on ${target}`)))));
  expect(listed.sort()).toEqual([...new Set([...entries.flatMap(writesOf), ...ELSEWHERE])].sort());
}, 300_000);
