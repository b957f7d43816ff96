import { KindAccess } from './description/access';
import { KindIdentity } from './description/identity';
import { KindDescription } from './kind';
import { groupOf, kindKey, Manifest } from '../manifest/manifest';
import { registered } from '../registry/registered';
import { grouped, lazily } from '../text/values';

/** Every kind that the library knows, each once. */
export const allKinds = registered<readonly KindDescription[]>('kinds');

const byKey = lazily(
  (): ReadonlyMap<string, KindDescription> =>
    new Map(allKinds().map((each) => [kindKey(each.group, each.kind), each])),
);

/**
 * The same by API version and kind: every object is looked up many times, and an API version needs
 * no new text.
 */
const byVersion = lazily(
  (): ReadonlyMap<string, ReadonlyMap<string, KindDescription>> =>
    new Map(
      [...grouped(allKinds(), apiVersionOf)].map(([apiVersion, kinds]) => [
        apiVersion,
        new Map(kinds.map((each) => [each.kind, each])),
      ]),
    ),
);

/** The API version of a kind as objects have it. */
export function apiVersionOf({ group, version }: KindDescription): string {
  return group === '' ? version : `${group}/${version}`;
}

/**
 * What is known of a kind, by the group of its API version; undefined for the kinds of other
 * products. Who asks names the group of the description that it reads:
 * `kindOf<KindRemoval>(manifest)?.kept`.
 */
export function kindOf<Group extends Partial<KindDescription> = KindIdentity>({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): Group | undefined {
  return (byVersion().get(apiVersion)?.get(kind) ??
    byKey().get(kindKey(groupOf(apiVersion), kind))) as Partial<KindDescription> as
    Group | undefined;
}

/** Whether people or accounts have permissions, or log in, by objects of a kind. */
export function givesAccess(object: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean {
  const { access, isLogin } = kindOf<KindAccess>(object) ?? {};
  return access === 'binding' || isLogin === true;
}

/** Of kinds that are not described. */
const UNKNOWN_RANK = 45;

/** The place of an object in `kubectl apply -f folder` and in an apply: 0 to 99. */
export function rankOf(manifest: Manifest): number {
  const description = kindOf(manifest);
  return description?.rankOf?.(manifest) ?? description?.rank ?? UNKNOWN_RANK;
}
