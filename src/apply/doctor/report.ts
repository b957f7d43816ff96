import { Diagnosis, DiagnosisLevel } from './diagnosis';
import { Examination } from './examine';
import { plainText } from '../plan/plan-summary';

/** The forms of doctor's output. */
export const DOCTOR_FORMATS = ['text', 'json'] as const;

export type DoctorFormat = (typeof DOCTOR_FORMATS)[number];

/** Sets off a level on a terminal. */
export type PaintLevel = (level: DiagnosisLevel, text: string) => string;

/** What doctor found, for people: what is wrong, where, what to do. */
export function doctorText(examination: Examination, paint: PaintLevel = (_, text) => text): string {
  const { targets, diagnoses } = examination;
  return [
    ...targets.map(({ name, by, unreachable }) => `${plainText(name)} (${plainText(by)})${unreachable === undefined ? '' : ': not reached'}`),
    '',
    ...diagnoses.flatMap((diagnosis) => [...lines(diagnosis, paint), '']),
    countText(diagnoses),
  ].join('\n');
}

function lines({ check, level, target, object, message, fix, source }: Diagnosis, paint: PaintLevel): string[] {
  return [
    `${paint(level, level)}  ${check}  ${plainText(object === undefined ? target : `${object} on ${target}`)}`,
    `  ${plainText(message)}`,
    `  fix: ${plainText(fix)}`,
    `  source: ${plainText(source)}`,
  ];
}

/** `1 error, 2 warnings`. */
export function countText(diagnoses: readonly Diagnosis[]): string {
  const counts = ([['error', 'errors'], ['warning', 'warnings'], ['info', 'notes']] as const).flatMap(([level, plural]) => {
    const count = diagnoses.filter((diagnosis) => diagnosis.level === level).length;
    return count === 0 ? [] : [`${count} ${count > 1 ? plural : level === 'info' ? 'note' : level}`];
  });
  return counts.join(', ') || 'nothing wrong was found';
}

/** The same for machines. */
export function doctorJson({ targets, diagnoses }: Examination): string {
  return `${JSON.stringify({ schemaVersion: '1', targets, diagnoses }, undefined, 2)}\n`;
}
