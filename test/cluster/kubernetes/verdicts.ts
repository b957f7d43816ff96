import { mutationsOf } from './mutations';
import { VALID_OBJECTS } from './valid-objects';
import { Manifest } from '../../../src/core/manifest/manifest';
import { Finding } from '../../../src/core/rule/finding';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { ALL_RULES } from '../../../src/registry/all-rules';

/** The version of the API server that the verdicts are of. */
export const VERSION = 'v1.34.4';

const TARGET = { name: 'guest', kind: 'guest', kubernetesVersion: VERSION } as const;

/** A change of an object that a server accepts. */
export interface Case {
  readonly object: Manifest;
  /** The object and the change, such as `Service/one remove spec.ports`. */
  readonly name: string;
  readonly manifest: Manifest;
}

/** Every change of every object, in one order. */
export function allCases(): Case[] {
  return VALID_OBJECTS.flatMap((object) =>
    [...mutationsOf(object)].map(({ what, manifest }) => ({
      object,
      manifest,
      name: `${object.kind}/${object.metadata.name} ${what}`,
    })),
  );
}

/** What lint finds in an object that is created. */
export function findingsOf(manifest: Manifest): Finding[] {
  return judge(ALL_RULES, new World([{ manifest, target: TARGET }]));
}

/** Whether lint refuses an object as strict field validation does, which refuses unknown fields. */
export function isRefused(manifest: Manifest): boolean {
  return findingsOf(manifest).some(
    ({ level, rule }) => level === 'error' || rule === 'object/unknown-field',
  );
}

/** Changes about which lint and a server differ, and why. */
export const DIFFERENT: ReadonlyArray<readonly [change: RegExp, why: string]> = [
  [
    /^\S+ metadata\.(labels|annotations) = ("x"|7|\[\])$/,
    'files are read before rules judge them: metadata other than maps are reported there',
  ],
  [
    /^CustomResourceDefinition\/\S+ .*openAPIV3Schema/,
    'schemas of definitions are not compared, as they contain themselves',
  ],
  [
    /^PersistentVolumeClaim\/\S+ spec\.dataSource\.name = ""$/,
    'the server takes a data source without a name, which restores nothing: lint refuses it',
  ],
  [/ = null$/, 'null in place of a value is an empty one, which lint does not judge everywhere'],
  [
    /^StatefulSet\/\S+ .*spec\.volumes(\[0\].*)? = /,
    'a volume that a StatefulSet replaces is not validated',
  ],
  [
    /^StatefulSet\/\S+ remove .*volumes\[0\]/,
    'a volume that a StatefulSet replaces is not validated',
  ],
  [/^ValidatingAdmissionPolicy\/\S+ .*expression/, 'expressions in CEL are not compiled'],
  [
    /^HorizontalPodAutoscaler\/\S+ .*scaleTargetRef\.apiVersion/,
    'the API version of a target is not judged',
  ],
];
