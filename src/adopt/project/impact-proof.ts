import { AdoptNote } from './adopt-note';
import { FoundObject } from '../../core/draft/draft';
import { isLate, mayBecome } from '../../core/late/late-token';
import { isRecord, Manifest } from '../../core/manifest/manifest';
import { JudgedObject } from '../../core/rule/rule';
import { collect } from '../../core/synthesis/collect';
import { judgedObjects, judgedTargets } from '../../core/synthesis/judge-program';
import { impactOf } from '../../report/impact/cluster-impacts';
import { Effect, Impact, Side } from '../../report/impact/impact';
import { Adopted } from '../adopt';
import { foundId } from '../evaluate/statements';
import { cleaned } from '../select/cleaned';
import { isFromFile } from '../select/marks';

/** What leaves machines as they are. */
const HARMLESS: ReadonlySet<Effect> = new Set<Effect>(['none', 'kept']);

/**
 * What an apply of the program would do to guest clusters, as `impact` reports it for an edit: from
 * what was found to what the program renders. Normally nothing.
 */
export function impactsOf(found: readonly FoundObject[], { evaluated }: Adopted): AdoptNote[] {
  const program = collect(evaluated.app);
  const live = new Map(found.map((object) => [foundId(object), object.manifest]));
  const before: JudgedObject[] = [];
  const after: JudgedObject[] = [];
  const judged = judgedObjects(judgedTargets(program), program.objects);
  program.objects.forEach(({ id }, index) => {
    const manifest = live.get(id);
    if (manifest) {
      const was = cleaned(manifest);
      const isFile = isFromFile(manifest);
      before.push({ ...judged[index], manifest: was });
      after.push({ ...judged[index], manifest: settled(judged[index].manifest, was, isFile) });
    }
  });
  return impactOf({ before: new Side(before), after: new Side(after) })
    .filter(({ effect }) => !HARMLESS.has(effect))
    .map(noteOf);
}

/**
 * The object after an apply: with live values in place of late ones, and with the fields that the
 * program does not mention, which others own, or which have no effect.
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
  return { ...live, ...Object.fromEntries(own) };
}

function noteOf({ target, cluster, pool, effect, what, causes }: Impact): AdoptNote {
  const of = pool === undefined ? '' : `, pool ${pool}`;
  const fields = causes.map(({ object, path }) => `${object}${path === '' ? '' : ` ${path}`}`);
  const why = fields.length === 0 ? '' : `, for ${[...new Set(fields)].join('; ')}`;
  return { target, object: `Cluster ${cluster}${of}`, message: `impact ${effect}: ${what}${why}` };
}
