import { AdoptNote } from './adopt-note';
import { FoundObject } from '../../core/draft/draft';
import { isLate, mayBecome } from '../../core/late/late-token';
import { at, FieldPath, isRecord, Manifest } from '../../core/manifest/manifest';
import { JudgedObject } from '../../core/rule/rule';
import { collect } from '../../core/synthesis/collect';
import { judgedObjects, judgedTargets } from '../../core/synthesis/judge-program';
import { LiveObject } from '../../engine/cluster/cluster';
import { differences, meansTheSame } from '../../engine/fields/compare-desired';
import { impactOf } from '../../report/impact/cluster-impacts';
import { Effect, Impact, ImpactSide } from '../../report/impact/impact';
import { Adopted } from '../adopt';
import { OmittedField } from '../evaluate/omitted';
import { foundId } from '../evaluate/statements';
import { cleaned } from '../select/cleaned';
import { isFromFile } from '../select/marks';

/** What leaves machines as they are. */
const HARMLESS: ReadonlySet<Effect> = new Set<Effect>(['none', 'kept']);

/**
 * What an apply of the program would do to guest clusters, as `impact` reports it for an edit: from
 * what was found to what the program renders. Normally nothing.
 */
export function impactsOf(
  found: readonly FoundObject[],
  { evaluated, omitted }: Adopted,
): AdoptNote[] {
  const program = collect(evaluated.app);
  const live = new Map(found.map((object) => [foundId(object), object.manifest]));
  const before: JudgedObject[] = [];
  const after: JudgedObject[] = [];
  const judged = judgedObjects(judgedTargets(program), program.objects);
  program.objects.forEach(({ id }, index) => {
    const manifest = live.get(id);
    if (manifest) {
      const was = cleaned(manifest);
      const own = settled(judged[index].manifest, was, isFromFile(manifest));
      const kept = (omitted.get(id) ?? []).filter(({ reason }) => reason !== undefined);
      before.push({ ...judged[index], manifest: was });
      after.push({ ...judged[index], manifest: withSame(own, was, kept) });
    }
  });
  return impactOf({ before: new ImpactSide(before), after: new ImpactSide(after) })
    .filter(({ effect }) => !HARMLESS.has(effect))
    .map(noteOf);
}

/**
 * The object with the values that the server has in place of those that mean the same, and with the
 * fields that are left out on purpose.
 */
function withSame(own: Manifest, was: Manifest, kept: readonly OmittedField[]): Manifest {
  const same = differences(own, was as LiveObject, undefined)
    .filter(({ path, before, after }) => meansTheSame(was as LiveObject, path, before, after))
    .map(({ path }) => path);
  const paths = [...kept.map(({ path }) => path), ...same];
  return paths.reduce((object, path) => withValue(object, path, at(was, path)) as Manifest, own);
}

/** A value in which a field has another value, also one that it lacks. */
function withValue(value: unknown, [step, ...rest]: FieldPath, by: unknown): unknown {
  if (step === undefined) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === step ? withValue(item, rest, by) : item));
  }
  const fields = isRecord(value) ? value : {};
  return { ...fields, [step]: withValue(fields[step], rest, by) };
}

/**
 * The object after an apply: with live values in place of late ones. A live object keeps the fields
 * that the program does not mention, which others own; an engine deletes what its file had and
 * lacks now.
 */
function settled(manifest: Manifest, live: Manifest, isFile: boolean): Manifest {
  return settledValue(manifest, live, isFile) as Manifest;
}

function settledValue(value: unknown, live: unknown, isFile: boolean): unknown {
  if (typeof value === 'string') {
    return typeof live === 'string' && isLate(value) && mayBecome(value, live) ? live : value;
  }
  if (Array.isArray(value)) {
    return Array.isArray(live)
      ? value.map((each, index) => settledValue(each, live[index], isFile))
      : value;
  }
  if (!isRecord(value) || !isRecord(live)) {
    return value;
  }
  const own = Object.entries(value)
    // apply leaves out what a live object lacks and what means the same; an engine writes it
    .filter(([key, each]) => isFile || key in live || each !== false)
    .map(([key, each]) => [key, settledValue(each, live[key], isFile)]);
  return isFile ? Object.fromEntries(own) : { ...live, ...Object.fromEntries(own) };
}

function noteOf({ target, cluster, pool, effect, what, causes }: Impact): AdoptNote {
  const of = pool === undefined ? '' : `, pool ${pool}`;
  const fields = causes.map(({ object, path }) => `${object}${path === '' ? '' : ` ${path}`}`);
  const why = fields.length === 0 ? '' : `, for ${[...new Set(fields)].join('; ')}`;
  return { target, object: `Cluster ${cluster}${of}`, message: `impact ${effect}: ${what}${why}` };
}
