import { AssemblyLateValue, AssemblyObject, AssemblyTarget } from '../../model/assembly';
import { isLate } from '../../model/late-token';
import { Manifest } from '../../model/manifest';
import { keepsDigests } from '../plan/standing';
import { bookGrants, guardGrants, guestGrants, lateGrants, leftoverGrants, objectGrants, PlacedGrant } from '../rbac/grants';
import { Verb } from '../rbac/rule-set';
import { App } from '../run/app';
import { homeTarget } from '../run/home';
import { asObject, Leftover } from '../run/leftovers';

/** One thing that an identity may do or not. */
export interface Right {
  readonly verb: Verb;
  readonly apiVersion: string;
  readonly kind: string;
  /** None where it is for all of them, or for what lies in none. */
  readonly namespace?: string;
  /** None where it is for any. */
  readonly name?: string;
  /** What it is for, where a run may do without it. */
  readonly perhaps?: string;
}

/** What a run is about to do. */
export interface Intent {
  readonly app: App;
  readonly targets: readonly AssemblyTarget[];
  /** What it writes. */
  readonly written: readonly AssemblyObject[];
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** What it takes away. */
  readonly gone: readonly Leftover[];
  readonly lateValues: readonly AssemblyLateValue[];
  /** Whether nothing is left in the end. */
  readonly ends: boolean;
}

/**
 * The rights that a run needs on one target, told by what `rbac` grants for the same. Names that are late are left out: nobody can ask for them yet.
 */
export function neededOn(target: AssemblyTarget, intent: Intent, isThere: (target: string) => boolean): Right[] {
  const { app, targets, manifests, ends } = intent;
  const gone = intent.gone.filter((each) => each.target === target.name).map(asObject);
  const written = intent.written.filter((object) => object.target === target.name && isNamed(object));
  const late = intent.lateValues.filter(({ source }) => !('name' in source) || isNamed(source));
  return distinct([
    ...bookGrants(app, { holdsLock: homeTarget(targets).name === target.name, digests: keepsDigests(written, manifests), ends }),
    ...written.flatMap((object) => objectGrants(object, manifests.get(object.id)!, false)),
    ...gone.flatMap(leftoverGrants),
    ...lateGrants(late, target.name),
    ...guardGrants(target, gone),
    // those that are there are reached already
    ...targets.filter(({ name }) => !isThere(name)).flatMap((guest) => guestGrants(guest, target))
      .map((grant) => ({ ...grant, perhaps: 'its guest clusters are reached by it, but for those with a context of their own' })),
  ]);
}

function isNamed({ name, namespace }: { readonly name: string; readonly namespace?: string }): boolean {
  return !isLate(name) && !isLate(namespace);
}

function distinct(grants: readonly PlacedGrant[]): Right[] {
  const rights = new Map<string, Right>();
  for (const { verbs, ...rest } of grants) {
    for (const verb of verbs) {
      const key = JSON.stringify([verb, rest.apiVersion, rest.kind, rest.namespace, rest.name]);
      const known = rights.get(key);
      if (!known || known.perhaps !== undefined) { rights.set(key, { verb, ...rest }); }
    }
  }
  return [...rights.values()];
}
