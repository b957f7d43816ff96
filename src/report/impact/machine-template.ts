import { Cause, ImpactSide, leaves, shown } from './impact';
import { holdsEncrypted } from '../../core/late/encrypted-values';
import { LATE_TOKEN, isLate } from '../../core/late/late-token';
import { Manifest, isRecord, objectLabel, sortedKeys, Fields } from '../../core/manifest/manifest';
import { JudgedObject } from '../../core/rule/rule';
import { jsonOf } from '../../core/text/values';
import { MACHINE_DEFAULTS } from '../../guest/cluster/cluster.kind';
import { driverText } from '../../guest/machine-config/machine-json.facts';

/** What Rancher computes the template of a machine from leaves these out. */
const NO_TEMPLATE = ['apiVersion', 'kind', 'metadata', 'status', 'spec', 'common'];

/** Fields that may hold secrets: reported without a value. */
const SECRET = ['sshPassword', 'kubeconfigContent'];
const TEXTS = ['userData', 'networkData'];
/** The note for a value that cannot be compared. */
const WAITS_ON_ONE_SIDE = 'waits for a late value on one side: it can be the same';
/** The note for a value of which only the ciphertext is known. */
export const CHANGED_UNKNOWN = 'changed, value unknown: it is encrypted';
/**
 * The note for two values of which it is not known whether they differ, or how.
 *
 * @returns undefined where both are known
 */
export function unsureRemark(was: unknown, is: unknown): string | undefined {
  if (was === undefined || is === undefined) {
    return undefined;
  }
  if (holdsEncrypted(was) || holdsEncrypted(is)) {
    return CHANGED_UNKNOWN;
  }
  return isWaiting(was) === isWaiting(is) ? undefined : WAITS_ON_ONE_SIDE;
}
/** The note as a part of a cause. */
export function remarkOn(was: unknown, is: unknown): Pick<Cause, 'remark'> {
  const remark = unsureRemark(was, is);
  return remark === undefined ? {} : { remark };
}
/** Whether a value that `Side.resolved` returned waits for a late value. */
function isWaiting(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes('${late');
}
/** JSON as text: reported by the values in it that differ. */
const JSON_TEXTS = ['diskInfo', 'networkInfo', 'vgpuInfo', 'vmAffinity'];

/**
 * The fields that make the template of a machine: literal values, with the defaults that the API
 * server stores and without empty ones.
 *
 * @see rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go createMachineTemplateHash
 */
export function templateOf(manifest: Manifest, side: ImpactSide): Fields {
  const fields: { [field: string]: unknown } = { ...MACHINE_DEFAULTS };
  for (const [field, value] of Object.entries(manifest)) {
    if (NO_TEMPLATE.includes(field)) {
      continue;
    }
    // null is an unset value, for which the server writes its default
    if (value !== undefined && value !== null) {
      fields[field] = side.resolved(value);
    }
  }
  const isEmpty = (value: unknown): boolean =>
    value === '' || value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

/**
 * The fields that wait for a late value on one side and may hold that value on the other, and those
 * that are encrypted: whether they are the same is unknown.
 */
export function unsureFields(before: Manifest, after: Manifest): string[] {
  return Object.keys(before).filter((field) => {
    const [was, is] = [before[field], after[field]];
    if (unsureRemark(was, is) === CHANGED_UNKNOWN) {
      return true;
    }
    if (typeof was !== 'string' || typeof is !== 'string' || isLate(was) === isLate(is)) {
      return false;
    }
    return isLate(was) ? canBecome(was, is) : canBecome(is, was);
  });
}

/**
 * Whether a text can be another one whose late values are filled in: the text around them is there,
 * in the same order.
 */
function canBecome(waiting: string, text: string): boolean {
  const [first, ...rest] = waiting.replace(new RegExp(LATE_TOKEN), '\0').split('\0');
  const last = rest.pop() ?? '';
  let at = first.length;
  if (!text.startsWith(first)) {
    return false;
  }
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) {
      return false;
    }
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** The differences of two templates: each of them makes a new template. */
export function templateCauses(before: Fields, after: Fields, config: JudgedObject): Cause[] {
  const object = objectLabel(config.manifest);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .flatMap((field): Cause[] => {
      const [was, is] = [before[field], after[field]];
      if (JSON.stringify(was) === JSON.stringify(is)) {
        return [];
      }
      const [old, now] = JSON_TEXTS.includes(field) ? [decoded(was), decoded(is)] : [];
      const within = isRecord(old) && isRecord(now) ? leaves(field, old, now) : [];
      return within.length > 0
        ? within.map(([path, value, other]) => ({ object, path, ...shown(value, other) }))
        : [{ object, path: field, ...difference(field, was, is) }];
    });
}

/** The field of a machine configuration that a cause is of: paths within JSON begin with it. */
export function fieldOf({ path }: Cause): string {
  return path.split('.', 1)[0];
}

function decoded(text: unknown): unknown {
  return typeof text === 'string' ? jsonOf(driverText(text)) : undefined;
}

function difference(
  field: string,
  was: unknown,
  is: unknown,
): Pick<Cause, 'before' | 'after' | 'remark'> {
  if (unsureRemark(was, is) === CHANGED_UNKNOWN) {
    return { remark: CHANGED_UNKNOWN };
  }
  const remark = remarkOf(was, is);
  if (SECRET.includes(field)) {
    return { remark: remark ?? 'is another one' };
  }
  if (TEXTS.includes(field)) {
    return { remark: [lineOf(was, is), remark].filter(Boolean).join('; ') };
  }
  return { ...shown(was, is), ...(remark ? { remark } : {}) };
}

/** Where two texts part, without their contents: user data may hold secrets. */
function lineOf(was: unknown, is: unknown): string {
  if (typeof was !== 'string' || typeof is !== 'string') {
    if (was === undefined) {
      return 'is new';
    }
    if (is === undefined) {
      return 'is gone';
    }
    return 'is another one';
  }
  const [old, now] = [driverText(was).split('\n'), driverText(is).split('\n')];
  const line = old.findIndex((text, index) => text !== now[index]);
  const first = line < 0 ? old.length : line;
  if (old.join('\n') === now.join('\n')) {
    return 'is the same text';
  }
  return `differs from line ${first + 1} on (${old.length} lines before, ${now.length} after)`;
}

function remarkOf(was: unknown, is: unknown): string | undefined {
  if (typeof was !== 'string' || typeof is !== 'string') {
    return undefined;
  }
  const [old, now] = [driverText(was), driverText(is)];
  if (old === now) {
    return 'only the encoding differs, plain or base64: Rancher replaces the machines all the same';
  }
  const same = sameJson(old, now) || old.replace(/\s+/g, '') === now.replace(/\s+/g, '');
  return same ? 'only the layout differs: Rancher replaces the machines all the same' : undefined;
}

function sameJson(was: string, is: string): boolean {
  const [old, now] = [decoded(was), decoded(is)];
  return (
    isRecord(old) &&
    isRecord(now) &&
    JSON.stringify(sortedKeys(old)) === JSON.stringify(sortedKeys(now))
  );
}
