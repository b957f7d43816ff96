import { Manifest } from '../../src/core/manifest/manifest';
import { oneLine } from '../../src/core/problem/problem';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, Rule, World } from '../../src/core/rule/rule';
import { ALL_RULES } from '../../src/registry/all-rules';

/** The world of the manifests that a test checks. */
export interface Judging {
  /** Rancher's version. @default - not known */
  readonly version?: string;
  readonly live?: readonly Manifest[];
  readonly before?: readonly Manifest[];
  readonly kind?: JudgedTarget['kind'];
}

/** Runs rules over manifests on one Rancher. */
export function judgeOn(
  rules: readonly Rule[],
  manifests: readonly Manifest[],
  { version, live = [], before = [], kind = 'rancher' }: Judging = {},
): Finding[] {
  const target: JudgedTarget = {
    name: 'rancher',
    kind,
    ...(version ? { rancherVersion: version } : {}),
  };
  const on = (list: readonly Manifest[]): JudgedObject[] =>
    list.map((manifest) => ({ manifest, target }));
  return judge(rules, new World(on(manifests), on(live), on(before)));
}

/** The findings as `level rule path`, errors first. */
export function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ level, rule, path }) => `${level} ${rule} ${path}`.trim());
}

/** A provisioning Cluster. */
export function cluster(name: string, spec: object = {}, metadata: object = {}): Manifest {
  return {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name, namespace: 'fleet-default', ...metadata },
    spec,
  };
}

/** A management Cluster. */
export function managementCluster(
  name: string,
  fields: object = {},
  annotations?: { [key: string]: string },
): Manifest {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Cluster',
    metadata: { name, ...(annotations ? { annotations } : {}) },
    ...fields,
  };
}

/** A Setting of Rancher. */
export function setting(name: string, value: unknown, fields: object = {}): Manifest {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Setting',
    metadata: { name },
    value,
    ...fields,
  };
}

/** A Rancher, a Harvester and a guest cluster on it, as targets of a test. */
export const TARGETS = {
  rancher: { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' },
  dc1: { name: 'dc1', kind: 'harvester', harvesterVersion: '1.7.2', vip: '10.10.0.10' },
  dc2: { name: 'dc2', kind: 'harvester', harvesterVersion: '1.7.2', vip: '10.20.0.10' },
  shop: {
    name: 'shop',
    kind: 'guest',
    kubernetesVersion: 'v1.33.6+rke2r1',
    provisioningCluster: 'fleet-default/shop',
    rancher: 'rancher',
    harvester: 'dc1',
  },
} as const satisfies { readonly [name: string]: JudgedTarget };

/** Manifests by the name of their target. */
export type Placed = { readonly [target in keyof typeof TARGETS]?: readonly Manifest[] };

/** What a test with several targets adds: live objects, and versions of the targets. */
interface PlacedJudging {
  readonly live?: Placed;
  readonly versions?: { readonly [target: string]: Partial<JudgedTarget> };
}

/** The findings of some rules over several targets, as `level rule <object> <finding>`. */
export function judgePlaced(
  ids: readonly string[],
  placed: Placed,
  { live = {}, versions = {} }: PlacedJudging = {},
): string[] {
  const on = (objects: Placed): JudgedObject[] =>
    Object.entries(objects).flatMap(([name, manifests]) =>
      (manifests ?? []).map((manifest) => ({
        manifest,
        target: { ...TARGETS[name as keyof typeof TARGETS], ...versions[name] },
      })),
    );
  return judge(
    ALL_RULES.filter(({ id }) => ids.includes(id)),
    new World(on(placed), on(live)),
  ).map(
    (finding) => `${finding.level} ${finding.rule} ${finding.object?.name} ${oneLine(finding)}`,
  );
}
