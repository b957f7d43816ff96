import { FoundReview } from './review';
import { Finding } from '../../core/rule/finding';
import { countByCause, isCounted } from '../../core/rule/report';
import { plural } from '../../core/text/plain-text';
import { Change } from '../changes/change';
import { leavingIds, otherFindings } from '../changes/change-findings';
import { ObjectChange } from '../changes/object-changes';
import { HeadLine, headLines } from '../changes/print-changes';
import { FitRow, NOTHING_LIMITED } from '../fits/fit-table';
import { Impact } from '../impact/impact';

/** What a change does to one environment, or to the only one. */
export interface ReviewPart extends Change {
  /** Undefined for the only one. */
  readonly name?: string;
}

/** The environments of a program; those that a change does not touch are named only. */
interface Parts {
  readonly shown: readonly ReviewPart[];
  readonly untouched: readonly string[];
}

const OTHER_FILES = 'files of no output';

export const UNTOUCHED = 'no object changes, and no finding is new';

/** The environments, and as the last one what belongs to none of them, if there is anything. */
export function reviewPartsOf(review: Pick<FoundReview, 'environments'> & Change): Parts {
  const { environments } = review;
  if (environments.length === 0) {
    return { shown: [review], untouched: [] };
  }
  const named = environments.map((each): ReviewPart & { readonly name: string } => ({
    ...each,
    name: each.name || OTHER_FILES,
  }));
  return {
    shown: named.filter(isTouched),
    untouched: named
      .filter((part) => !isTouched(part) && part.name !== OTHER_FILES)
      .map(({ name }) => name),
  };
}

function isTouched(part: ReviewPart): boolean {
  const { objects, targets, findings, impacts } = part;
  return (
    findings.some(isCounted) ||
    objects.length + targets.length + impacts.length + tight(part).length > 0
  );
}

/** The rows that a reviewer must see. */
function tight({ fits }: Pick<ReviewPart, 'fits'>): FitRow[] {
  return fits.filter((row) => row.fits !== 'yes');
}

/**
 * What is shown besides the list of changes, each fact once: what a finding reports is neither an
 * impact nor a row of limits, and what leaves is in the list of changes.
 */
export function shownOnce(part: ReviewPart): Pick<ReviewPart, 'impacts' | 'findings'> & {
  readonly fits: readonly FitRow[];
} {
  const { objects, impacts, findings } = part;
  const leavingObjects = objects.flatMap((group) =>
    group.objects.filter((object) => leavingIds(object).length > 0),
  );
  const leaving = new Set(leavingObjects.map(leavingKey));
  // of plain manifests, the list does not show what becomes of machines
  const withFate = new Set(leavingObjects.filter(({ becomes }) => becomes).map(leavingKey));
  const reported = new Set(findings.filter(isAboutRoom).map(labelKey));
  const isInChanges = ({ object, cluster, pool, target, effect }: Impact): boolean =>
    pool === undefined &&
    ['delete', 'kept', 'unknown'].includes(effect) &&
    (object === undefined
      ? withFate.has(keyOf(target, `Cluster ${cluster}`))
      : leaving.has(keyOf(target, object)));
  const isReported = ({ object, target }: { readonly object?: string; readonly target: string }) =>
    object !== undefined && reported.has(keyOf(target, object));
  const others = impacts.filter((impact) => !isInChanges(impact) && !isReported(impact));
  const inImpacts = new Set(others.map(({ target, object = '' }) => keyOf(target, object)));
  return {
    impacts: others,
    findings: otherFindings(objects, findings),
    fits: tight(part).filter(
      (row) => !isReported(row) && !inImpacts.has(keyOf(row.target, row.object)),
    ),
  };
}

/** What identifies an object that leaves: its previous name and target. */
function leavingKey({ was, target, object }: ObjectChange): string {
  return keyOf((was ?? { target }).target, was?.object ?? object);
}

/** Whether a finding is that machines do not fit into a quota. */
function isAboutRoom({ rule }: Finding): boolean {
  return rule === 'quota/fits';
}

function labelKey({ target = '', object }: Finding): string {
  const { kind = '', namespace, name = '' } = object ?? {};
  return keyOf(target, `${kind} ${namespace ? `${namespace}/` : ''}${name}`);
}

function keyOf(target: string, object: string): string {
  return `${target} ${object}`;
}

/** The first lines of a report: the facts that a reviewer needs first. */
export function reviewHeadLines(
  part: ReviewPart,
  isCompared: boolean,
): (Omit<HeadLine, 'label'> & {
  readonly label: string;
})[] {
  const { errors } = countByCause(part.findings);
  return [
    ...(isCompared ? headLines(part) : []),
    {
      label: 'findings',
      text: findingsText(part),
      ...(errors > 0 ? { tone: 'error' as const } : {}),
    },
    { label: 'room', text: roomText(part) },
  ];
}

/** e.g. `1 error and 2 warnings are new; 14 are as in the base` */
function findingsText({ findings, known }: ReviewPart): string {
  const { errors, warnings } = countByCause(findings);
  const accepted = findings.filter(({ suppressed }) => suppressed !== undefined).length;
  const parts = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ];
  return [
    parts.length === 0
      ? 'none is new'
      : `${parts.join(' and ')} ${errors + warnings === 1 ? 'is' : 'are'} new`,
    ...(accepted > 0 ? [`${accepted} ${accepted === 1 ? 'is' : 'are'} accepted`] : []),
    ...(known > 0 ? [`${known} ${known === 1 ? 'is' : 'are'} as in the base`] : []),
  ].join('; ');
}

function roomText(part: ReviewPart): string {
  const [all, less] = [part.fits.length, tight(part).length];
  if (all === 0) {
    return NOTHING_LIMITED;
  }
  if (less > 0) {
    return `${less} of ${all} limits are not, or hardly, kept`;
  }
  return all === 1 ? 'the one limit is kept' : `all ${all} limits are kept`;
}
