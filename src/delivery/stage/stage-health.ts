import { KindReadiness } from '../../core/kind/description/readiness';
import { KindDescription } from '../../core/kind/kind';
import { allKinds, apiVersionOf, kindOf } from '../../core/kind/kinds';
import { EXISTS, HealthExpression, HealthRule } from '../../core/kind/ready/health';
import { AssemblyObject } from '../../core/output/assembly';
import { compare, grouped } from '../../core/text/values';

/** The health of a kind, for the objects that an engine delivers together. */
export interface KindHealth extends HealthRule {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The health of the kinds whose objects later stages wait for, and of those whose status engines
 * misread. Engines take all others for healthy once they exist.
 *
 * @param awaited whether later stages wait for an object
 */
export function healthOf(
  objects: readonly AssemblyObject[],
  awaited: (object: AssemblyObject) => boolean,
): KindHealth[] {
  const byKind = grouped(objects, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const found = [...byKind.values()].flatMap((list): KindHealth[] => {
    const [{ apiVersion, kind }] = list;
    const rule = kindOf<KindReadiness>({ apiVersion, kind })?.health;
    const isAwaited = list.some(awaited);
    if (!rule || !(isAwaited || rule.misread)) {
      return [];
    }
    // what takes long delays nothing where nothing waits for it
    const { healthy, failed }: HealthRule = isAwaited || !rule.slow ? rule : { healthy: EXISTS };
    return [
      {
        apiVersion,
        kind,
        healthy: forNames(healthy, new Set(list.map(({ name }) => name))),
        ...(failed ? { failed } : {}),
      },
    ];
  });
  return found.sort((a, b) => compare(`${a.apiVersion} ${a.kind}`, `${b.apiVersion} ${b.kind}`));
}

/**
 * The health of the kinds of the products, whatever a program contains, and of the others that
 * `healthOf` finds: for an engine that must know it before the first object of a kind.
 */
export function healthOfProducts(
  objects: readonly AssemblyObject[],
  awaited: (object: AssemblyObject) => boolean,
): KindHealth[] {
  const others = healthOf(objects, awaited).filter((each) => !isOfProduct(kindOf(each)!));
  const isAwaited = new Set(objects.filter(awaited).map((object) => kindOf(object)));
  const own = allKinds().flatMap((description): KindHealth[] => {
    const { kind, health } = description;
    if (!health || !isOfProduct(description)) {
      return [];
    }
    const { healthy, failed }: HealthRule =
      health.slow && !isAwaited.has(description) ? { healthy: EXISTS } : health;
    return [
      { apiVersion: apiVersionOf(description), kind, healthy, ...(failed ? { failed } : {}) },
    ];
  });
  return [...own, ...others].sort((a, b) =>
    compare(`${a.apiVersion} ${a.kind}`, `${b.apiVersion} ${b.kind}`),
  );
}

/**
 * Whether a kind is of Rancher or Harvester: other engines and their users rely on the health of
 * all others.
 */
function isOfProduct({ group, makes }: KindDescription): boolean {
  return group !== '' && makes === undefined;
}

/** An expression without the names that no object has. */
function forNames(expression: HealthExpression, names: ReadonlySet<string>): HealthExpression {
  if ('not' in expression) {
    const named = expression.not.named.filter((name) => names.has(name));
    return named.length === 0 ? EXISTS : { not: { named } };
  }
  if ('all' in expression) {
    return { all: expression.all.map((each) => forNames(each, names)) };
  }
  if (!('any' in expression)) {
    return expression;
  }
  const any = expression.any.map((each) => forNames(each, names));
  return any.some((each) => 'always' in each) ? EXISTS : { any };
}
