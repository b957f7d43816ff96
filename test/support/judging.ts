import { Manifest } from '../../src/core/manifest/manifest';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, Rule, World } from '../../src/core/rule/rule';

/** The world of the manifests that a test checks. */
export interface Judging {
  /** Rancher's version. @default - not known */
  readonly version?: string;
  readonly live?: readonly Manifest[];
  readonly before?: readonly Manifest[];
  readonly kind?: JudgedTarget['kind'];
}

/** Runs rules over manifests on one Rancher. */
export function judgeOn(rules: readonly Rule[], manifests: readonly Manifest[], { version, live = [], before = [], kind = 'rancher' }: Judging = {}): Finding[] {
  const target: JudgedTarget = { name: 'rancher', kind, ...(version ? { rancherVersion: version } : {}) };
  const on = (list: readonly Manifest[]): JudgedObject[] => list.map((manifest) => ({ manifest, target }));
  return judge(rules, new World(on(manifests), on(live), on(before)));
}

/** The findings as `level rule path`, errors first. */
export function brief(findings: readonly Finding[]): string[] {
  return findings.map(({ level, rule, path }) => `${level} ${rule} ${path}`.trim());
}

/** A provisioning Cluster. */
export function cluster(name: string, spec: object = {}, metadata: object = {}): Manifest {
  return { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', metadata: { name, namespace: 'fleet-default', ...metadata }, spec };
}

/** A management Cluster. */
export function managementCluster(name: string, fields: object = {}, annotations?: { [key: string]: string }): Manifest {
  return { apiVersion: 'management.cattle.io/v3', kind: 'Cluster', metadata: { name, ...(annotations ? { annotations } : {}) }, ...fields };
}

/** A Setting of Rancher. */
export function setting(name: string, value: unknown, fields: object = {}): Manifest {
  return { apiVersion: 'management.cattle.io/v3', kind: 'Setting', metadata: { name }, value, ...fields };
}
