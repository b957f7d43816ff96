import { compareManifest, Products } from './compare-manifest';
import { BrokenLimit, OtherValue } from './compare-shape';
import { ITarget, TargetKind } from '../app/target';
import { Manifest } from '../manifest/manifest';
import { NO_PROBLEMS, Problem } from '../rule/problem';
import { byObject } from '../text/values';

/** The problem of a value that the definition does not list. */
export function valueProblem({ path, value, allowed }: OtherValue): Problem {
  const list = allowed.map((each) => JSON.stringify(each)).join(', ');
  const says = `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`;
  return { path, value, message: `must be one of ${list}`, fix: `use one of ${list}`, says };
}

/** The problem of a value beyond a limit of the definition. */
export function limitProblem({ path, value, limit }: BrokenLimit): Problem {
  return limit.problem(path, value);
}

/** The first problem of each field: who corrects it, corrects the others with it. */
export function oncePerPath(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ path }, index) => problems.findIndex((other) => other.path === path) === index);
}

const productsOf = byObject(({ targetKind, version }: ITarget): Products => ({
  kind: targetKind, [targetKind === TargetKind.HARVESTER ? 'harvesterVersion' : 'rancherVersion']: version,
}));

/** Checks the values that a construct writes: limits, and lists of values. What is missing or has another type may be patched or known later. */
export function checkValues(manifest: Pick<Manifest, 'apiVersion' | 'kind'>, target: ITarget): readonly Problem[] {
  const found = compareManifest(manifest, productsOf(target));
  if (found === undefined) { return NO_PROBLEMS; }
  return oncePerPath([...found.others.map(valueProblem), ...found.broken.map(limitProblem)]);
}
