import { Input, TargetOptions, readInput, targetsOf } from '../../engine/read/read-input';

/**
 * Reads manifests, and those that they are compared with.
 *
 * @throws for a file that cannot be read: its objects would be missing silently, or look like a deletion
 */
export function readWith(paths: readonly string[], others: readonly string[], target: TargetOptions = {}): readonly [input: Input, other: Input] {
  const input = readInput(paths, target);
  const other = readInput(others, target, targetsOf(input.assemblies, target));
  const broken = [...input.findings, ...other.findings];
  if (broken.length > 0) { throw new Error(broken.map(({ message }) => message).join('\n')); }
  return [input, other];
}
