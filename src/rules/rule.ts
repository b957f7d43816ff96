import { World } from './world';
import { Manifest } from '../model/manifest';
import { Problem } from '../model/problem';

/** How bad a finding is: an error fails synthesis and `lint`, a warning is told. */
export type RuleLevel = 'error' | 'warning';

/**
 * One thing that a server would refuse, or silently mishandle.
 *
 * Rules are pure functions over manifests and the world they are in. An error never refuses what the server accepts and carries out; when in
 * doubt a rule warns or is silent. A problem may lower its rule's level.
 */
export interface Rule {
  /** `family/what`, kebab-case; part of the contract, people suppress by it. */
  readonly id: string;
  readonly level: RuleLevel;
  /** The kinds it judges, `group/Kind`; `*` is every kind. */
  readonly kinds: readonly string[];
  /** What it holds, one sentence for the index in the docs. */
  readonly what: string;
  /** The server's own words, where it has any. */
  readonly says?: string;
  /** Where this is known from: repository and file, or documentation page. */
  readonly source: string;

  /** Judges an object as it shall be. */
  readonly judge?: (object: JudgedObject, world: World) => Iterable<Problem>;
  /** Judges an edit: the object as it was and as it shall be. */
  readonly judgeUpdate?: (object: JudgedObject, before: Manifest, world: World) => Iterable<Problem>;
  /** Judges a deletion: what was there and is gone. */
  readonly judgeDeletion?: (gone: JudgedObject, world: World) => Iterable<Problem>;
}

/**
 * A manifest and where it comes from.
 */
export interface JudgedObject {
  readonly manifest: Manifest;
  /** The target it is for; its kind and versions may be unknown in `lint`. */
  readonly target: JudgedTarget;
  /** Path of the construct that wrote it, where a program did. */
  readonly construct?: string;
  /** The file that it was read from, where one was. */
  readonly file?: string;
  /** Which of the file's documents it is, from 1 on. */
  readonly document?: number;
  /** What of its metadata could not be read and was left out, so that rules need not expect it. */
  readonly malformed?: readonly Problem[];
}

/**
 * The Kubernetes API that an object is for, as far as it is known.
 */
export interface JudgedTarget {
  readonly name: string;
  readonly kind?: 'rancher' | 'harvester' | 'guest';
  /** Versions as text, e.g. `2.13.8`, `1.7.2`, `v1.33.6+rke2r1`. */
  readonly rancherVersion?: string;
  readonly harvesterVersion?: string;
  readonly kubernetesVersion?: string;
  /** The URL that clusters reach a Rancher by. */
  readonly serverUrl?: string;
  /** `true` where the certificate of a Rancher is signed by a private authority that the program knows. */
  readonly privateCa?: string;
  /** The management address of a Harvester. */
  readonly vip?: string;
  /** The management cluster that a Harvester is, as `<target of the Rancher>/<management cluster ID>`. */
  readonly managedAs?: string;
  /** The provisioning Cluster that a guest is, as `<namespace>/<name>`. */
  readonly provisioningCluster?: string;
  /** The target of the Rancher that manages a guest. */
  readonly rancher?: string;
  /** The target of the Harvester that the machines of a guest run on. */
  readonly harvester?: string;
}
