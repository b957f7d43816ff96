import { ComparedPaths, environmentsIn } from './environments';
import { Input, readable, readFound } from './read-input';
import { Manifest } from '../../core/manifest/manifest';
import { ENCRYPTED } from '../../core/rule/program-rules';
import { refuseUnread } from '../files/file-findings';
import { TargetOptions, targetsOf } from '../files/judged-targets';

/** An environment, and its previous state. */
export interface EditedInput {
  /** The output folder below the path; undefined where all paths are one environment. */
  readonly environment?: string;
  readonly after: Input;
  readonly before: Input;
}

/** The manifests of both sides of edits: what reports about them must not show the secrets of. */
export function manifestsOfEdits(edits: readonly EditedInput[]): Manifest[] {
  return edits
    .flatMap(({ before, after }) => [...before.objects, ...after.objects])
    .map(({ manifest }) => manifest);
}

/** An environment, its previous state, and what is live next to it. */
export interface ComparedInput extends EditedInput {
  readonly live: Input;
}

/**
 * Reads each environment at the paths, and what it is compared with.
 *
 * @throws for a file that cannot be read: its objects would be missing silently, or look like a deletion.
 * Of encrypted files, no more than the kinds and names is needed
 */
export function readCompared(
  paths: readonly string[],
  compared: ComparedPaths,
  options: TargetOptions = {},
): readonly ComparedInput[] {
  return environmentsIn(paths, compared, options).map(({ name, listed, before, world }) => {
    const after = readFound(listed, options);
    const targets = targetsOf(after.assemblies, options);
    const was = readFound(before, options, targets);
    const live = readFound(world, options, targets);
    refuseUnread([...after.findings, ...was.findings, ...live.findings], ENCRYPTED);
    return {
      environment: name,
      after: readable(after),
      before: readable(was),
      live: readable(live),
    };
  });
}

/** Reads each environment at the paths, and its previous state. */
export function readEdits(
  paths: readonly string[],
  previous: readonly string[],
  options: TargetOptions = {},
): readonly EditedInput[] {
  return readCompared(paths, { before: previous }, options);
}

/** An environment, and what is live next to it. */
export interface ReadEnvironment {
  /** The output folder below the path; undefined where all paths are one environment. */
  readonly environment?: string;
  readonly input: Input;
  readonly live: Input;
}

/** Reads each environment at the paths, and the live objects next to it. */
export function readEnvironments(
  paths: readonly string[],
  live: readonly string[],
  options: TargetOptions = {},
): readonly ReadEnvironment[] {
  return readCompared(paths, { world: live }, options).map((each) => ({
    environment: each.environment,
    input: each.after,
    live: each.live,
  }));
}
