import { FinishedObject } from './assembly-writer';
import { objectLabel, printName } from '../manifest/manifest';
import { Assembly } from '../output/assembly';
import { OUTSIDE, waitsForSecret } from '../output/late-files';
import { WrittenFiles } from '../output/output';
import { DeliveredOutput } from '../program/delivery-step';
import { commandLine, plural, shortPath, some } from '../text/plain-text';
import { Block, line, toned } from '../text/screen';
import { compare } from '../text/values';

/** The synthesized output, as it was written. */
interface WrittenOutput {
  readonly outdir: string;
  readonly files: WrittenFiles;
  readonly objects: readonly FinishedObject[];
  /** The output for an engine, or with hidden secrets. @default - neither */
  readonly delivered?: DeliveredOutput;
}

/**
 * One line for people: the synthesized files, what is in no file, and what to do next. A folder
 * does not show what it lacks.
 */
export function writtenLine(output: WrittenOutput): Block {
  const { outdir, files } = output;
  const folder = shortPath(outdir);
  const waiting = waitingObjects(output);
  return line([
    toned('good', folder),
    `: ${objectsText(output)}, ${filesText(files)}. `,
    ...(waiting.length === 0 ? [] : [`${waitingText(waiting)}. `]),
    toned('title', 'Next'),
    `: ${nextText(folder, output, waiting.length)}`,
  ]);
}

function objectsText({ objects }: WrittenOutput): string {
  const targets = new Set(objects.map(({ finished }) => finished.target.targetName));
  const count = plural(objects.length, 'object');
  return targets.size === 0 ? count : `${count} for ${some([...targets].sort(compare))}`;
}

function filesText({ total, changed, removed }: WrittenFiles): string {
  const more = removed === 0 ? '' : `, ${removed} removed`;
  if (changed === 0) {
    return `none of ${plural(total, 'file')} changed${more}`;
  }
  return changed === total
    ? `${plural(total, 'file')} written${more}`
    : `${changed} of ${plural(total, 'file')} changed${more}`;
}

/** The objects that no file holds until their late values are known. */
function waitingObjects({ objects, delivered }: WrittenOutput): readonly string[] {
  return delivered
    ? delivered.assembly.objects
        .filter(({ file, onlyApply }) => file === undefined && onlyApply === undefined)
        .map((object) => `${object.kind} ${printName(object)} on ${object.target}`)
    : objects
        .filter(({ finished }) => finished.lateIds.length > 0)
        .map(
          ({ finished }) => `${objectLabel(finished.manifest)} on ${finished.target.targetName}`,
        );
}

function waitingText(waiting: readonly string[]): string {
  const what =
    waiting.length === 1
      ? '1 object is in no file, since it waits'
      : `${waiting.length} objects are in no file, since they wait`;
  return `${what} for late values: ${some(waiting)}`;
}

function nextText(folder: string, { delivered }: WrittenOutput, waiting: number): string {
  const isWaiting = waiting > 0;
  if (!delivered?.assembly.stages) {
    const plan = own('plan', folder);
    const it = waiting === 1 ? 'it' : 'them';
    return isWaiting ? `${plan}, then apply, which also writes ${it}` : `${plan}, then apply`;
  }
  const left = delivered.assembly.objects.filter(({ onlyApply }) => onlyApply !== undefined).length;
  return [
    `commit ${folder}: the engine delivers it`,
    ...(isWaiting ? [`then ${completeText(folder, delivered.assembly)}`] : []),
    ...(left > 0
      ? [`${own('apply', folder)} writes ${plural(left, 'object')} that the engine does not`]
      : []),
  ].join('; ');
}

/** How late objects are completed: nothing with a credential is proposed for the repository. */
function completeText(folder: string, assembly: Assembly): string {
  return waitsForSecret(assembly)
    ? `${own('resolve', folder, '--write-manifests', OUTSIDE)}, and apply each folder in ${OUTSIDE} with kubectl: it contains credentials, so keep it out of Git`
    : own('resolve', folder, '--write-manifests', folder);
}

function own(...words: string[]): string {
  return commandLine('cdk8s-harvester', ...words);
}
