import { GateId } from './feature-gate';
import { FeatureGates } from './feature-gates';
import { Product, Semver, parseSemver, printSemver } from './semver';
import { byObject, attempt } from '../text/values';

/** A target with the versions of its products, each as `<product>Version`. */
interface VersionedTarget {
  readonly name: string;
}

/** A feature on a target; undefined if the version of its product is not known. */
type Answer = { readonly lacks: string | undefined } | undefined;

// rules ask the same of a target for each object
const answers = byObject((_: VersionedTarget) => new Map<GateId, Answer>());

function answerOf(target: VersionedTarget, id: GateId): Answer {
  const known = answers(target);
  let answer = known.get(id);
  if (answer === undefined && !known.has(id)) {
    const gate = FeatureGates.of(id);
    const version = versionOf(target, gate.product);
    answer = version && {
      lacks: gate._includes(version)
        ? undefined
        : `${gate._requirement()}, got ${gate.product.prefix ?? ''}${printSemver(version)}`,
    };
    known.set(id, answer);
  }
  return answer;
}

/** Whether the product of a target has a feature. Undefined if its version is not known. */
export function hasFeature(target: VersionedTarget | undefined, id: GateId): boolean | undefined {
  const answer = target && answerOf(target, id);
  return answer && answer.lacks === undefined;
}

/**
 * The message on a feature that the product of a target lacks. Undefined if it has the feature, or
 * if its version is not known.
 */
export function lacksFeature(target: VersionedTarget, id: GateId): string | undefined {
  return answerOf(target, id)?.lacks;
}

/** A field, and the message on its feature that a target lacks. */
interface LackedField<F> {
  readonly field: F;
  readonly lacks: string;
}

/** The fields of a table that a target lacks; none if its version is not known. */
export function lackedFields<F>(
  gates: ReadonlyArray<readonly [field: F, gate: GateId]>,
): (target: VersionedTarget) => ReadonlyArray<LackedField<F>> {
  return byObject((target) =>
    gates.flatMap(([field, gate]) => {
      const lacks = lacksFeature(target, gate);
      return lacks === undefined ? [] : [{ field, lacks }];
    }),
  );
}

/** The version of a product on a target, if it is known and valid. */
export function versionOf(target: VersionedTarget, product: Product): Semver | undefined {
  const text = (target as unknown as { readonly [field: string]: unknown })[`${product.id}Version`];
  if (typeof text !== 'string') {
    return undefined;
  }
  // rules judge manifests; an invalid version is reported where it is set
  return attempt(() => parseSemver(text, product));
}
