import { readFileSync, writeFileSync } from 'fs';
import { isRecord } from '../../core/manifest/manifest';
import { Finding } from '../../core/rule/finding';
import { isSuppressible } from '../../core/rule/rule';
import { compare } from '../../core/text/values';

/** An accepted finding: what identifies it, without its value or message, which may change. */
interface Accepted {
  readonly rule: string;
  readonly target: string;
  /** `<apiVersion>/<kind>/<namespace>/<name>` */
  readonly object: string;
  readonly path: string;
}

const VERSION = 1;

const FIELDS = ['rule', 'target', 'object', 'path'] as const satisfies readonly (keyof Accepted)[];

/** The keys of the findings that a baseline file accepts. Throws if it is not one. */
export function readBaseline(file: string): ReadonlySet<string> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(`--baseline ${file}: ${missing ? 'does not exist' : 'is not valid JSON'}. Fix: write it with --update-baseline`);
  }
  const { version, accepted } = isRecord(content) ? content : {};
  if (version !== VERSION || !Array.isArray(accepted) || !accepted.every(isAccepted)) {
    throw new Error(`--baseline ${file}: is not a baseline of version ${VERSION}. Fix: write it again with --update-baseline`);
  }
  const refused = accepted.find(({ rule }) => !isSuppressible(rule));
  if (refused) { throw new Error(`--baseline ${file}: rule ${refused.rule} cannot be accepted. Fix: correct what it reports, and remove the entry`); }
  return new Set(accepted.map(keyOf));
}

/** Writes a baseline that accepts all findings about objects, except unreadable files and rules that cannot be accepted. */
export function writeBaseline(file: string, findings: readonly Finding[]): void {
  const counted = findings.filter(({ rule, suppressed }) => suppressed === undefined && isSuppressible(rule));
  const byKey = new Map(counted.flatMap(acceptedOf).map((accepted) => [keyOf(accepted), accepted]));
  const accepted = [...byKey].sort(([a], [b]) => compare(a, b)).map(([, entry]) => entry);
  writeFileSync(file, `${JSON.stringify({ version: VERSION, accepted }, undefined, 2)}\n`);
}

/** Suppresses the findings that a baseline accepts; `unused` is the number of its entries without a finding. */
export function applyBaseline(findings: readonly Finding[], accepted: ReadonlySet<string>, file: string): { findings: Finding[]; unused: number } {
  const used = new Set<string>();
  const judged = findings.map((finding) => {
    const [key] = acceptedOf(finding).map(keyOf);
    if (key === undefined || !accepted.has(key)) { return finding; }
    used.add(key);
    return { ...finding, suppressed: finding.suppressed ?? `accepted in ${file}` };
  });
  return { findings: judged, unused: accepted.size - used.size };
}

function acceptedOf({ rule, target = '', object, path }: Finding): [Accepted] | [] {
  return object ? [{ rule, target, object: [object.apiVersion, object.kind, object.namespace ?? '', object.name].join('/'), path }] : [];
}

function keyOf(accepted: Accepted): string {
  return JSON.stringify(FIELDS.map((field) => accepted[field]));
}

function isAccepted(value: unknown): value is Accepted {
  return isRecord(value) && FIELDS.every((field) => typeof value[field] === 'string');
}
